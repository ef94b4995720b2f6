// Queues that background jobs work through: what waits, what fails, and what is tried again.
import { formatAgo, formatCount } from '../../pure/format.js';
import { useStored } from '../loading.js';
import { upkeepServer } from '../settings-server.js';
import { Act } from '../shell/form.js';
import { Rows } from '../shell/rows.js';

const mostFaults = 200;

type QueueName = Parameters<typeof upkeepServer.retry>[0]['body']['queue'];
/** A queue as the server names it in its lists. */
const queueOf = (name: string): QueueName => name as QueueName; // the server knows the names that it told

const agoOf = (at: number | null): string => (at === null ? '–' : formatAgo(at, Date.now()));

export const Jobs = () => {
  const queues = useStored((signal) => upkeepServer.queues({}, signal), []);
  const faults = useStored(
    (signal) => upkeepServer.faults({ query: { size: mostFaults } }, signal),
    [],
  );
  const again = () => {
    queues.again();
    faults.again();
  };
  return (
    <>
      <p class="said">
        What fails is tried again, later and later; what failed too often is parked until somebody
        lets it be tried once more.
      </p>
      <p class="controls">
        <button type="button" onClick={again}>
          Look again
        </button>
      </p>
      <Rows
        label="Queues"
        of={{ value: queues.value?.queues, fault: queues.fault }}
        head={['Queue', 'Waiting', 'Oldest', 'Failing', 'Parked', '']}
        empty="There is no queue."
      >
        {(one) => (
          <tr key={one.queue}>
            <td>
              <code>{one.queue}</code>
            </td>
            <td>{formatCount(one.waiting)}</td>
            <td>{agoOf(one.oldestAt)}</td>
            <td>{formatCount(one.failing)}</td>
            <td>{formatCount(one.parked)}</td>
            <td class="does">
              {one.parked === 0 ? null : (
                <Act
                  verb="Retry parked"
                  label={`Retry parked items of ${one.queue}`}
                  says="They are tried again"
                  onDo={() =>
                    upkeepServer.retry({ body: { queue: queueOf(one.queue) } }).finally(again)
                  }
                />
              )}
            </td>
          </tr>
        )}
      </Rows>
      <h2>Failing items</h2>
      <Rows
        label="Failing items"
        of={{ value: faults.value?.faults, fault: faults.fault }}
        head={['Queue', 'Item', 'Attempts', 'Since', 'Next', 'Why', '']}
        empty="Nothing fails."
      >
        {(one) => (
          <tr key={`${one.queue} ${one.item}`}>
            <td>
              <code>{one.queue}</code>
            </td>
            <td class="long">
              <code>{one.item}</code>
            </td>
            <td>{formatCount(one.attempts)}</td>
            <td>{agoOf(one.firstAt)}</td>
            <td>
              {one.parkedAt !== null
                ? `parked ${agoOf(one.parkedAt)}`
                : one.retryAt === null
                  ? '–'
                  : new Date(one.retryAt).toLocaleTimeString()}
            </td>
            <td class="long">{one.reason}</td>
            <td class="does">
              <Act
                verb="Retry"
                label={`Retry ${one.item}`}
                says="It is tried again"
                onDo={() =>
                  upkeepServer
                    .retry({ body: { queue: queueOf(one.queue), item: one.item } })
                    .finally(again)
                }
              />
            </td>
          </tr>
        )}
      </Rows>
      {faults.value?.faults.length === mostFaults ? (
        <p class="faint">The first {mostFaults}; there may be more.</p>
      ) : null}
    </>
  );
};
