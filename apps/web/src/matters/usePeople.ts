import { useEffect, useState } from "react";
import { get } from "../api/http";

export interface Person {
  user_id: string;
  email: string;
  display_name: string;
}

/** The people of the firm, to choose from. */
export function usePeople(): Person[] {
  const [people, set] = useState<Person[]>([]);
  // Without the list, addresses are typed.
  useEffect(() => void get<Person[]>("/api/firm/people").then(set, () => undefined), []);
  return people;
}
