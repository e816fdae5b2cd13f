import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./App";
import "./app.css";
import { enablePrinting } from "./print/printing";
import "./print/print.css";

enablePrinting();
createRoot(document.getElementById("root")!).render(<StrictMode><App /></StrictMode>);
