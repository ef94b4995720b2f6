// The items of a dataset: a virtual table, one of them at a glance, and what is done to them. Each change makes a version.
import { useMemo, useState } from 'preact/hooks';
import { addressIn, withQuery } from '../../pure/address.js';
import { itemName, memberOf, readData, shownData } from '../../pure/datasets.js';
import { formatCount, shortened } from '../../pure/format.js';
import { previewOf } from '../../pure/trace-values.js';
import { attempt } from '../attempt.js';
import {
  csvPath,
  datasetsServer,
  type Dataset,
  type DatasetItem,
  type DatasetVersion,
} from '../evaluating-server.js';
import { useLoaded } from '../loading.js';
import { usePageKeys } from '../page-keys.js';
import { mayWrite, upload } from '../request.js';
import { deletions, going, isGoing } from '../shell/delete-soon.js';
import { Deletes } from '../shell/deletes.js';
import { Asks, type Fields } from '../shell/form.js';
import { Grid } from '../shell/grid.js';
import { SearchForm } from '../shell/listing.js';
import { query, setQuery, tell } from '../state.js';
import { save } from '../save.js';
import { Labels } from '../told/labels.js';
import { Json } from '../trace/json.js';
import { useItemRows } from './rows.js';
import { AskAgain, Fault, Wait } from '../shell/wait.js';

const mostColumns = 6;

type Change = NonNullable<Parameters<typeof datasetsServer.change>[0]['body']>;

/** Makes a version after the newest one; of a dataset that has none, the first. */
const changer =
  (dataset: Dataset, onChange: () => void) =>
  async (change: Change): Promise<void> => {
    const base = dataset.latest_version?.id;
    await datasetsServer.change({
      params: { id: dataset.id },
      query: base === undefined ? { override: true } : {},
      body: { ...change, ...(base === undefined ? {} : { base_version: base }) },
    });
    onChange();
  };

const DataField = ({ data }: { data: unknown }) => (
  <label>
    Data, as a JSON object
    <textarea
      name="data"
      rows={12}
      required
      spellcheck={false}
      class="code-field"
      defaultValue={data === undefined ? '{\n  "question": ""\n}' : shownData(data)}
    />
  </label>
);

const said = (field: Fields, usual: string) => {
  const says = field('says');
  return { change_description: says === '' ? usual : says };
};
const SaysField = () => (
  <label>
    What you change, in a few words
    <input name="says" maxLength={255} autocomplete="off" />
  </label>
);

const Upload = ({ dataset, onChange }: { dataset: Dataset; onChange: () => void }) => {
  const send = async (file: File) => {
    const form = new FormData();
    form.set('dataset_id', dataset.id);
    form.set('file', file);
    await upload(csvPath, form);
    onChange();
    tell(`The rows of ${file.name} are items now`);
  };
  return (
    <label class="button">
      Upload CSV
      <input
        type="file"
        class="unseen"
        accept=".csv,text/csv"
        aria-label="Upload a CSV file"
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0];
          currentTarget.value = '';
          if (file !== undefined) attempt(send(file));
        }}
      />
    </label>
  );
};

const download = async ({ id, name }: Dataset) => {
  const { id: jobId } = await datasetsServer.exportFile({ params: { id } });
  const bytes = await datasetsServer.download({ params: { jobId } });
  save(`${name}.csv`, new Blob([bytes], { type: 'text/csv' }));
};

/** What is done to the dataset's items as a whole. */
const Acts = ({ dataset, onChange }: { dataset: Dataset; onChange: () => void }) => (
  <>
    <Asks
      verb="Add an item"
      label="Add an item"
      send="Add it"
      says="The item is added"
      onSend={async (field) =>
        changer(
          dataset,
          onChange,
        )({
          added_items: [{ source: 'manual', data: readData(field('data')) }],
          ...said(field, 'One item added'),
        })
      }
    >
      <DataField data={undefined} />
      <SaysField />
    </Asks>
    <Upload dataset={dataset} onChange={onChange} />
    <button type="button" onClick={() => attempt(download(dataset))}>
      Download CSV
    </button>
  </>
);

/** A link that leads to the trace of an item, wherever it is: the item does not say in which project. */
const traceAddress = (workspace: string, trace: string): string =>
  `/v1/session/redirect/projects?${new URLSearchParams({
    trace_id: trace,
    workspace_name: workspace,
    path: btoa(location.origin + addressIn('/')),
  }).toString()}`;

const OneItem = ({
  workspace,
  dataset,
  of,
  editable,
  onChange,
  onStep,
  onClose,
}: {
  workspace: string;
  dataset: Dataset;
  of: DatasetItem;
  /** Whether it is an item of the newest version: older ones never change. */
  editable: boolean;
  onChange: () => void;
  onStep: (by: number) => void;
  onClose: () => void;
}) => {
  const change = changer(dataset, onChange);
  // What the table has may be cut; what is edited must be whole.
  const { value, fault } = useLoaded(
    async (signal) => (editable ? datasetsServer.item({ params: { itemId: of.id } }, signal) : of),
    [of.id, of.last_updated_at, dataset.latest_version?.id, editable],
  );
  const tags = value?.tags ?? [];
  return (
    <aside class="peek whole" aria-label="The item at a glance">
      <header>
        <h2>Item</h2>
        {editable && mayWrite.value && value !== undefined ? (
          <>
            <Asks
              verb="Edit"
              label="Edit the item"
              send="Save"
              says="The item is changed"
              onSend={async (field) =>
                change({
                  edited_items: [{ id: of.id, data: readData(field('data')) }],
                  ...said(field, 'One item changed'),
                })
              }
            >
              <DataField data={value.data} />
              <SaysField />
            </Asks>
            <Deletes
              what="item"
              name={shortened(itemName(of.id, of.data), 40)}
              id={of.id}
              warns="Older versions keep it."
              onDo={async (from) => {
                // After what became of the dataset meanwhile.
                const now = await datasetsServer.show({ params: { id: dataset.id } });
                const gone = { deleted_ids: [of.id], change_description: 'One item deleted' };
                await from(() => changer(now, () => undefined)(gone));
              }}
              onAgreed={onClose}
            />
          </>
        ) : null}
        <button type="button" aria-label="Item above" onClick={() => onStep(-1)}>
          ↑
        </button>
        <button type="button" aria-label="Item below" onClick={() => onStep(1)}>
          ↓
        </button>
        <button type="button" aria-label="Close" onClick={onClose}>
          ×
        </button>
      </header>
      <Fault of={fault} />
      {value === undefined ? fault === undefined ? <Wait /> : null : <Json value={value.data} />}
      {value?.description === undefined ? null : <p dir="auto">{value.description}</p>}
      {editable && mayWrite.value ? (
        <Labels
          what="tag"
          labels={tags}
          stored={async () => (await datasetsServer.item({ params: { itemId: of.id } })).tags}
          onChange={(now) =>
            change({
              edited_items: [{ id: of.id, tags: [...now] }],
              change_description: 'Tags of one item changed',
            })
          }
        />
      ) : (
        <p dir="auto">{tags.join(', ')}</p>
      )}
      <p class="faint">
        {of.source} · {new Date(of.created_at).toLocaleString()} · {of.created_by}{' '}
        {of.trace_id === undefined ? null : (
          <a class="said" href={traceAddress(workspace, of.trace_id)}>
            Trace →
          </a>
        )}
      </p>
    </aside>
  );
};

const VersionChoice = ({
  versions,
  version,
}: {
  versions: readonly DatasetVersion[];
  version: string | undefined;
}) => (
  <select
    aria-label="Version"
    value={version ?? ''}
    onChange={({ currentTarget: { value } }) => setQuery({ version: value, peek: undefined }, true)}
  >
    <option value="">newest version</option>
    {versions.map(({ id, version_hash: hash, version_name: name, items_total: total }) => (
      <option key={id} value={hash}>
        {name}, {total} items
      </option>
    ))}
  </select>
);

export const DatasetItems = ({
  workspace,
  dataset,
  versions,
  onChange,
}: {
  workspace: string;
  dataset: Dataset;
  versions: readonly DatasetVersion[];
  onChange: () => void;
}) => {
  const [tick, setTick] = useState(0);
  const version = query.value.get('version') ?? undefined;
  const search = (query.value.get('q') ?? '').trim();
  const { rows, fault, need } = useItemRows(
    { dataset: dataset.id, version, search },
    tick + deletions.value,
  );
  const changed = () => {
    setTick((now) => now + 1);
    onChange();
  };
  const peek = query.value.get('peek');
  const place = peek === null ? -1 : Number(peek) - 1;
  const item = rows?.at(place);
  const open = (to: number | undefined) =>
    setQuery({ peek: to === undefined ? undefined : String(to + 1) });
  const step = (by: number) => {
    const next = Math.min((rows?.total ?? 0) - 1, Math.max(0, place + by));
    if (next >= 0) open(next);
  };
  usePageKeys({
    '/': () => document.querySelector<HTMLInputElement>('input[type=search]')?.focus(),
    j: () => step(1),
    k: () => step(-1),
    Escape: item === undefined ? undefined : () => open(undefined),
  });
  const columns = (rows?.columns ?? []).slice(0, mostColumns);
  const rowAt = (at: number) => {
    const one = rows?.at(at);
    if (one === undefined) {
      if (rows !== undefined) need(at);
      return undefined;
    }
    const address = location.pathname + withQuery(location.search, { peek: String(at + 1) });
    return {
      key: String(at),
      address,
      cells: [
        {
          text: `${isGoing('item', one.id) ? 'being deleted: ' : ''}${itemName(one.id, one.data)}`,
        },
        ...columns.map((name) => ({ text: previewOf(memberOf(one.data, name)) })),
        { text: (one.tags ?? []).join(', ') },
        { text: one.source },
      ],
    };
  };
  // The rows on the screen are filled anew when either changes.
  const filled = useMemo(() => ({}), [rows, going.value]);
  const editable = version === undefined || version === dataset.latest_version?.version_hash;
  return (
    <>
      <SearchForm label="Search in items" hint="Search in the data of items" />
      <p class="controls">
        <VersionChoice versions={versions} version={version} />
        {editable && mayWrite.value ? <Acts dataset={dataset} onChange={changed} /> : null}
      </p>
      <p class={fault === undefined ? 'told' : 'told fault'} role="status">
        {fault === undefined ? (
          rows === undefined ? (
            'loading …'
          ) : (
            `${formatCount(rows.total)} items`
          )
        ) : (
          <>
            {fault} <AskAgain />
          </>
        )}
        {(rows?.columns.length ?? 0) > mostColumns
          ? ` · ${mostColumns} of ${rows?.columns.length ?? 0} members are columns; an item at a glance has all`
          : ''}
      </p>
      {rows?.total === 0 ? (
        <p class="empty">{search === '' ? 'No item yet.' : 'No item matches this.'}</p>
      ) : (
        <div class={item === undefined ? 'halves one within' : 'halves within'}>
          <section class="left" aria-label="Items of the dataset">
            <Grid
              label="Items"
              columns={[
                { label: 'item', width: 190, grows: true },
                ...columns.map((label) => ({ label, width: 130, grows: true })),
                { label: 'item tags', width: 110 },
                { label: 'source', width: 80 },
              ]}
              count={rows?.total ?? 0}
              at={rowAt}
              of={filled}
              cursor={place < 0 ? undefined : place}
              onOpen={(key) => open(Number(key))}
            />
          </section>
          {item === undefined ? null : (
            <section class="right" aria-label="At a glance">
              <OneItem
                key={item.id}
                workspace={workspace}
                dataset={dataset}
                of={item}
                editable={editable}
                onChange={changed}
                onStep={step}
                onClose={() => open(undefined)}
              />
            </section>
          )}
        </div>
      )}
    </>
  );
};
