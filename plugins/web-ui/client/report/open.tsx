// Opens a report from a file. The file stays in the browser; nothing of it is sent anywhere.
import { useEffect, useRef, useState } from 'preact/hooks';
import { readReport, type Report } from '../../pure/report.js';
import { saysFault } from '../request.js';
import { showReport } from './show.js';

const mostBytes = 64_000_000;

const readFile = async (file: File): Promise<Report | { readonly fault: string }> => {
  if (file.size > mostBytes)
    return { fault: `this file is no report: one has at most ${mostBytes / 1_000_000} MB` };
  return readReport(await file.text());
};

const Shown = ({ of }: { of: Report }) => {
  const root = useRef<HTMLElement>(null);
  useEffect(() => {
    if (root.current !== null) showReport(root.current, of);
  }, [of]);
  return <section class="report" aria-label="Report" ref={root} />;
};

export const OpenReport = () => {
  const [found, setFound] = useState<Report | { readonly fault: string }>();
  const open = (file: File | undefined) => {
    if (file === undefined) return;
    readFile(file).then(setFound, (thrown: unknown) => setFound({ fault: saysFault(thrown) }));
  };
  return (
    <>
      <p class="said">
        A report is one file that was saved from a page by “as …”. It is read here and sent nowhere.
      </p>
      <p class="controls">
        <input
          type="file"
          aria-label="File of the report"
          accept=".html,.json,text/html,application/json"
          onChange={({ currentTarget }) => open(currentTarget.files?.[0])}
        />
      </p>
      {found === undefined ? null : 'fault' in found ? (
        <p class="fault" role="alert">
          {found.fault}
        </p>
      ) : (
        <Shown of={found} />
      )}
    </>
  );
};
