// What changes in a project while it is looked at: one stream of events, told on as counts that go up.
import { signal } from '@preact/signals';
import { readable } from './state.js';

/** Goes up when runs or their values changed, when they have new points, and when output came. */
export const runsChanged = signal(0);
export const pointsChanged = signal(0);
export const outputChanged = signal(0);
/** Goes up after new points came, less often: a table of many runs is asked for anew then, for their last values. */
export const lastValuesChanged = signal(0);
export const listening = signal(false);

/** Tells at most once a while: a busy project has many events in a second. */
const gently = (tell: () => void, everyMs: number) => {
  let waiting: number | undefined;
  return () => {
    waiting ??= setTimeout(() => {
      waiting = undefined;
      if (!document.hidden) tell();
    }, everyMs);
  };
};

/** Listens until the function that it returns is called. The browser comes back by itself after a break, from the last event it heard. */
export const listenTo = (projectId: string): (() => void) => {
  const stream = new EventSource(
    readable(`/v1/private/ui/events?project=${encodeURIComponent(projectId)}`),
  );
  const runs = gently(() => runsChanged.value++, 1500);
  const points = gently(() => pointsChanged.value++, 2500);
  const lastValues = gently(() => lastValuesChanged.value++, 5000);
  const output = gently(() => outputChanged.value++, 1000);
  stream.onopen = () => {
    listening.value = true;
  };
  stream.onerror = () => {
    listening.value = false;
  };
  for (const name of ['run', 'values', 'resync']) stream.addEventListener(name, runs);
  for (const name of ['points', 'resync'])
    for (const tell of [points, lastValues]) stream.addEventListener(name, tell);
  for (const name of ['output', 'resync']) stream.addEventListener(name, output);
  return () => {
    stream.close();
    listening.value = false;
  };
};
