// The HTML that a run logged, in a frame in which nothing runs.
import { useLoaded } from '../loading.js';
import { runServer } from '../server.js';
import { readable } from '../state.js';
import { Wait } from './wait.js';

export const Html = ({ run }: { run: string }) => {
  const found = useLoaded(
    (signal) => runServer.getHtml({ query: { experimentKey: run } }, signal),
    [run],
  );
  if (found.value === undefined) return <Wait of={found} />;
  if (found.value.html === null || found.value.html === '')
    return <p class="empty">This run logged no HTML.</p>;
  return (
    <iframe
      class="frame"
      title="HTML of this run; nothing in it runs"
      sandbox=""
      src={readable(`/v1/private/ui/runs/${encodeURIComponent(run)}/html`)}
    />
  );
};
