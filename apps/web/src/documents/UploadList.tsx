import { plural } from "../format";
import { Button, IconButton } from "../ui/Button";
import type { Upload, Uploads } from "./useUploads";

/** What is on its way, with a line on all of it where it is more than one file. */
export function UploadList({ sent: { uploads, done, cancel, retry, retryAll } }: { sent: Uploads }) {
  const failed = uploads.filter((upload) => upload.state === "failed").length;
  const total = done + uploads.length;
  return (
    <section aria-label="Uploads" className="border-b border-rule bg-sheet">
      {total > 1 && (
        <div className="flex items-center gap-2.5 border-b border-rule px-4 py-2 text-sm" data-testid="uploads-total">
          <progress value={done} max={total} aria-label="All uploads" className="h-1.5 w-16 overflow-hidden rounded-full [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-rule [&::-webkit-progress-value]:bg-accent" />
          <span className="min-w-0 flex-1">{`${done} of ${plural(total, "file")} sent${failed ? `, ${failed} failed` : ""}`}</span>
          {failed > 0 && <Button className="!min-h-8 px-2.5 text-[0.8125rem]" onClick={retryAll}>Try all again</Button>}
        </div>
      )}
      <ul>{uploads.map((upload) => <UploadRow key={upload.key} upload={upload} onCancel={() => cancel(upload.key)} onRetry={() => retry(upload.key)} />)}</ul>
    </section>
  );
}

function UploadRow({ upload, onCancel, onRetry }: { upload: Upload; onCancel: () => void; onRetry: () => void }) {
  const percent = Math.round(upload.part * 100);
  const words = { waiting: "Waits for its turn", cut: "Waits for the connection, then goes on by itself", sending: percent === 100 ? "Being checked" : `${percent} %`, asking: "Is there already", failed: upload.reason ?? "Failed" }[upload.state];
  return (
    <li className="flex items-center gap-2.5 px-4 py-2 text-sm" data-testid="upload">
      <span className="min-w-0 flex-1">
        <span className="block truncate">{upload.file.name}</span>
        {upload.state === "sending" ? (
          <span className="flex items-center gap-2 text-xs text-soft">
            <progress value={percent} max={100} aria-label={`Upload of ${upload.file.name}`} className="h-1.5 flex-1 overflow-hidden rounded-full [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-rule [&::-webkit-progress-value]:bg-accent" />
            {words}
          </span>
        ) : <span className={`block text-xs ${upload.state === "failed" ? "text-bad" : "text-soft"}`}>{words}</span>}
      </span>
      {upload.state === "failed" && <IconButton icon="redo" size={15} label={`Try ${upload.file.name} again`} onClick={onRetry} />}
      <IconButton icon="close" size={15} label={`Leave out ${upload.file.name}`} onClick={onCancel} />
    </li>
  );
}
