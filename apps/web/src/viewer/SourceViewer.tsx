import type { Citation, Document } from "../api/types";
export interface Shown { documentId: string; citation?: Citation; document?: Document; page?: number }
export function SourceViewer({ shown, onClose }: { shown: Shown; onClose: () => void; onShow: (shown: Shown) => void }) {
  return <div className="p-4"><button onClick={onClose}>Close</button><p>{shown.citation?.text}</p></div>;
}
