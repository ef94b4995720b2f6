// Whether the installation works: its checks, changes of the schema, bytes held against rows; and everything in it as one file.
import { useState } from 'preact/hooks';
import { formatCount } from '../../pure/format.js';
import { attempt } from '../attempt.js';
import { useLoaded } from '../loading.js';
import { upkeepServer } from '../settings-server.js';
import { Act } from '../shell/form.js';
import { Rows } from '../shell/rows.js';
import { Wait } from '../shell/wait.js';

const Checks = () => {
  const [tick, setTick] = useState(0);
  const { value, fault, busy } = useLoaded((signal) => upkeepServer.check({}, signal), [tick]);
  return (
    <section aria-label="Checks">
      <h2>Checks</h2>
      <p class="controls">
        <button type="button" disabled={busy} onClick={() => setTick(tick + 1)}>
          Check again
        </button>
        {value === undefined ? null : (
          <span role="status" class={value.ok ? '' : 'fault'}>
            {value.ok ? 'everything works' : 'something is wrong'}
          </span>
        )}
      </p>
      <Rows
        label="What was checked"
        of={{ value: value?.checks, fault }}
        head={['What', 'Came to']}
        empty="Nothing is checked here."
      >
        {(one, at) => (
          <tr key={at}>
            <td>{one.what}</td>
            <td class={one.fault === null ? 'long' : 'long fault'}>
              {one.fault ?? (one.warning === null ? '✓ works' : `warning: ${one.warning}`)}
            </td>
          </tr>
        )}
      </Rows>
    </section>
  );
};

const Schema = () => {
  const { value, fault } = useLoaded((signal) => upkeepServer.schema({}, signal), []);
  const changes = value?.changes;
  const waiting = changes?.filter(({ at }) => at === null) ?? [];
  const last = changes?.reduce((newest, { at }) => Math.max(newest, at ?? 0), 0) ?? 0;
  return (
    <section aria-label="Schema">
      <h2>Schema</h2>
      {changes === undefined ? (
        <Wait fault={fault} />
      ) : (
        <>
          <p>
            {formatCount(changes.length - waiting.length)} changes made
            {last === 0 ? '' : `, the last on ${new Date(last).toLocaleString()}`};{' '}
            {waiting.length === 0 ? 'none waits' : `${formatCount(waiting.length)} wait`}.
          </p>
          <details>
            <summary>All changes</summary>
            <Rows
              label="Changes of the schema"
              of={{ value: [...changes].reverse(), fault: undefined }}
              head={['Of', 'Number', 'Name', 'Made']}
              empty="There is no change."
            >
              {(one) => (
                <tr key={`${one.owner} ${one.number}`}>
                  <td>{one.owner}</td>
                  <td>{one.number}</td>
                  <td class="long">
                    {one.name}
                    {one.known ? '' : ' (of a newer release)'}
                  </td>
                  <td>{one.at === null ? 'waits' : new Date(one.at).toLocaleString()}</td>
                </tr>
              )}
            </Rows>
          </details>
        </>
      )}
    </section>
  );
};

type Found = Awaited<ReturnType<typeof upkeepServer.auditBlobs>>;

const Bytes = () => {
  const [found, setFound] = useState<Found>();
  const [busy, setBusy] = useState(false);
  const look = async () => {
    setBusy(true);
    try {
      setFound(await upkeepServer.auditBlobs({ body: {} }));
    } finally {
      setBusy(false);
    }
  };
  return (
    <section aria-label="Stored bytes">
      <h2>Stored bytes</h2>
      <p class="said">
        Every file is a row of the database and bytes in their place. Where only one of them is
        there, it can be removed.
      </p>
      <p class="controls">
        <button type="button" disabled={busy} onClick={() => attempt(look())}>
          {busy ? 'Comparing …' : 'Compare rows with bytes'}
        </button>
        {found !== undefined && found.found > found.removed ? (
          <Act
            verb="Remove"
            label="Remove what only one side has"
            warns="Rows without bytes and bytes without rows go for good."
            says="Removed"
            danger
            onDo={async () => setFound(await upkeepServer.auditBlobs({ body: { fix: true } }))}
          />
        ) : null}
      </p>
      {found === undefined ? null : (
        <>
          <p role="status">
            {formatCount(found.blobs)} files and {formatCount(found.rows)} rows compared:{' '}
            {formatCount(found.found)} findings, {formatCount(found.removed)} removed.
          </p>
          <ul>
            {found.findings.map((one, at) => (
              <li key={at}>{one}</li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
};

export const Upkeep = () => (
  <>
    <Checks />
    <Schema />
    <Bytes />
    <section aria-label="Export">
      <h2>Export</h2>
      <p class="said">
        Everything as of one moment, as a file that <code>orrery import</code> brings into an empty
        installation. It holds every secret that is stored; keep it like a password.
      </p>
      <p class="controls">
        <a class="button" href="/api/admin/export" download>
          Export everything
        </a>
        <a class="button" href="/api/admin/export?withoutBytes=true" download>
          Export without files
        </a>
      </p>
    </section>
  </>
);
