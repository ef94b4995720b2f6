// The audit log, a page at a time; what is chosen stands in the address.
import { useState } from 'preact/hooks';
import { withQuery } from '../../pure/address.js';
import { useLoaded } from '../loading.js';
import { adminServer } from '../settings-server.js';
import { Form } from '../shell/form.js';
import { Rows } from '../shell/rows.js';
import { query, setQuery } from '../state.js';

type Entry = Awaited<ReturnType<typeof adminServer.audit>>['entries'][number];

const choices = {
  actor: 'who',
  workspaceName: 'workspace',
  action: 'what was done',
  thingKind: 'kind of thing',
  thing: 'id of the thing',
} as const;
const days = { from: 'From', to: 'To' } as const;
const dayMs = 86_400_000;

/** The first moment of a day as it is told, or of the day after it. */
const momentOf = (day: string | null, later: number): number | undefined => {
  const at = Date.parse(`${day ?? ''}T00:00`);
  return Number.isNaN(at) ? undefined : at + later;
};

const chosenIn = (address: URLSearchParams) => {
  const texts = Object.keys(choices)
    .map((name) => [name, address.get(name) ?? ''] as const)
    .filter(([, text]) => text !== '');
  const [from, to] = [momentOf(address.get('from'), 0), momentOf(address.get('to'), dayMs)];
  return {
    ...Object.fromEntries(texts),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  };
};

const saysThing = ({ thing }: Entry): string =>
  thing === null ? '' : `${thing.kind} ${thing.name ?? thing.id}`;

const Detail = ({ of }: { of: Entry }) =>
  Object.keys(of.detail).length === 0 ? null : (
    <details>
      <summary>detail</summary>
      <code>{JSON.stringify(of.detail)}</code>
    </details>
  );

export const Audit = () => {
  const [turned, setTurned] = useState<{ key: string; pages: readonly string[] }>();
  const chosen = chosenIn(query.value);
  const key = JSON.stringify(chosen);
  // What leads to a page of other entries leads nowhere here.
  const pages = turned?.key === key ? turned.pages : [];
  const setPages = (to: readonly string[]) => setTurned({ key, pages: to });
  const after = pages.at(-1);
  const { value, fault, busy } = useLoaded(
    (signal) =>
      adminServer.audit(
        { query: { ...chosen, size: 50, ...(after === undefined ? {} : { after }) } },
        signal,
      ),
    [key, after],
  );
  const next = value?.next ?? undefined;
  const file = withQuery(
    '',
    Object.fromEntries(Object.entries(chosen).map(([name, of]) => [name, String(of)])),
  );
  return (
    <>
      <Form
        key={key}
        label="Choose entries"
        verb="Show"
        onSend={async (field) => {
          const names = [...Object.keys(choices), ...Object.keys(days)];
          setQuery(Object.fromEntries(names.map((name) => [name, field(name)])), true);
        }}
      >
        {Object.entries(choices).map(([name, says]) => (
          <input
            key={name}
            name={name}
            aria-label={says}
            placeholder={says}
            defaultValue={query.value.get(name) ?? ''}
          />
        ))}
        {Object.entries(days).map(([name, says]) => (
          <label key={name}>
            {says}
            <input type="date" name={name} defaultValue={query.value.get(name) ?? ''} />
          </label>
        ))}
      </Form>
      <Rows
        label="Audit log"
        of={{ value: value?.entries, fault }}
        head={['When', 'Who', 'Did', 'To', 'Came to', 'By', 'From', 'Detail']}
        empty="No entry is like that."
      >
        {(one, at) => (
          <tr key={at}>
            <td>
              <time dateTime={new Date(one.at).toISOString()}>
                {new Date(one.at).toLocaleString()}
              </time>
            </td>
            <td>{one.actor ?? 'nobody'}</td>
            <td>{one.action}</td>
            <td class="long">{saysThing(one)}</td>
            <td>{one.outcome}</td>
            <td>{one.via}</td>
            <td>{one.address ?? ''}</td>
            <td class="long">
              <Detail of={one} />
            </td>
          </tr>
        )}
      </Rows>
      <p class="controls">
        <button
          type="button"
          disabled={pages.length === 0}
          onClick={() => setPages(pages.slice(0, -1))}
        >
          Newer
        </button>
        <button
          type="button"
          disabled={next === undefined || busy}
          onClick={() => next !== undefined && setPages([...pages, next])}
        >
          Older
        </button>
        <a class="button" href={`/api/admin/audit/export${file}`} download>
          Download as CSV
        </a>
      </p>
    </>
  );
};
