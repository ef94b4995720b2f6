// What happened to a version, in words, day by day.
import { useLoaded } from '../loading.js';
import { registryServer } from '../server.js';
import type { Version } from './status.js';
import { Wait } from '../shell/wait.js';

type Values = Readonly<Record<string, string>>;

const status = (values: Values): string => values['registryModelStatus'] ?? '';

/** A sentence for each kind of entry, after the name of who did it; an unknown kind is told in its own words. */
const sentences: Readonly<Record<string, (before: string, after: string) => string>> = {
  MODEL_VERSION_CREATED: () => 'registered this version',
  MODEL_VERSION_DOWNLOADED: () => 'downloaded this version',
  MODEL_VERSION_STATUS_CHANGED: (before, after) =>
    before === '' ? `set the status to ${after}` : `changed the status from ${before} to ${after}`,
  MODEL_VERSION_STATUS_REQUEST_CHANGE: (_, after) => `asked for the status ${after}`,
  MODEL_VERSION_STATUS_REQUEST_APPROVED: (_, after) => `approved the status ${after}`,
  MODEL_VERSION_STATUS_REQUEST_REJECTED: (_, after) => `rejected the status ${after}`,
};

const saysOf = (action: string, before: Values, after: Values): string =>
  sentences[action]?.(status(before), status(after)) ??
  `${action.toLowerCase().replaceAll('_', ' ')} ${status(after)}`.trim();

export const History = ({ of }: { of: Version }) => {
  const { value, fault } = useLoaded(
    (signal) =>
      registryServer.history({ body: { registryModelItemId: of.registryModelItemId } }, signal),
    [of.registryModelItemId, of.lastUpdated],
  );
  if (value === undefined) return <Wait fault={fault} />;
  const days = Object.entries(value);
  if (days.length === 0) return <p class="empty">Nothing has happened to this version yet.</p>;
  return (
    <>
      {days.map(([day, entries]) => (
        <section key={day}>
          <h2>{day}</h2>
          <ul class="requests">
            {entries.map((one, at) => (
              <li key={at}>
                <b>{one.userName}</b> {saysOf(one.actionType, one.previousValue, one.newValue)}
                {one.comment === null || one.comment === '' ? null : (
                  <p class="notes">“{one.comment}”</p>
                )}
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
};
