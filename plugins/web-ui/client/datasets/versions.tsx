// The versions of a dataset, and what differs between two of them.
import { useMemo } from 'preact/hooks';
import {
  itemName,
  shownData,
  versionDifferences,
  type ItemDifference,
} from '../../pure/datasets.js';
import { formatAgo, formatCount } from '../../pure/format.js';
import { datasetsServer, type Dataset, type DatasetVersion } from '../evaluating-server.js';
import { useLoaded } from '../loading.js';
import { mayWrite } from '../request.js';
import { Act } from '../shell/form.js';
import { Rows } from '../shell/rows.js';
import { query, setQuery } from '../state.js';
import { Labels } from '../told/labels.js';
import { TextDiff } from '../told/text-diff.js';
import { allItems, mostCompared } from './rows.js';
import { Wait } from '../shell/wait.js';

/** The tag that always stands on the newest version. */
const ownTag = 'latest';
const mostListed = 200;

const signs = { added: '+ added', removed: '− removed', changed: '± changed' } as const;

const OneDifference = ({ of }: { of: ItemDifference }) => (
  <li>
    <details open={of.kind === 'changed'}>
      <summary dir="auto">
        <span class={of.kind === 'added' ? 'gained' : of.kind === 'removed' ? 'lost' : ''}>
          {signs[of.kind]}
        </span>{' '}
        {itemName(of.item.id, of.item.data)}
      </summary>
      {of.kind === 'changed' ? (
        <TextDiff
          label="Difference of the item"
          from={shownData({ ...Object(of.before.data), tags: of.before.tags })}
          to={shownData({ ...Object(of.item.data), tags: of.item.tags })}
        />
      ) : (
        <pre class="notes">{shownData(of.item.data)}</pre>
      )}
    </details>
  </li>
);

const Difference = ({ dataset, from, to }: { dataset: string; from: string; to: string }) => {
  const { value, fault } = useLoaded(
    (signal) =>
      Promise.all([
        datasetsServer.difference({ params: { id: dataset }, query: { from, to } }, signal),
        allItems(dataset, from, signal),
        allItems(dataset, to, signal),
      ]),
    [dataset, from, to],
  );
  const found = useMemo(
    () => (value === undefined ? [] : versionDifferences(value[1], value[2])),
    [value],
  );
  if (value === undefined) return <Wait fault={fault} />;
  const [{ statistics: counts }, before, after] = value;
  const cut = Math.max(before.length, after.length) >= mostCompared;
  return (
    <>
      <p role="status">
        {counts.itemsAdded} added, {counts.itemsModified} changed, {counts.itemsDeleted} removed,{' '}
        {counts.itemsUnchanged} the same
      </p>
      {cut ? (
        <p class="faint">
          Below are differences among the newest {formatCount(mostCompared)} items of each.
        </p>
      ) : null}
      <ul class="plain-list" aria-label="Items that differ">
        {found.slice(0, mostListed).map((one) => (
          <OneDifference key={one.item.id} of={one} />
        ))}
      </ul>
      {found.length > mostListed ? <p class="faint">and {found.length - mostListed} more</p> : null}
    </>
  );
};

const Choice = ({
  label,
  name,
  versions,
  value,
}: {
  label: string;
  name: string;
  versions: readonly DatasetVersion[];
  value: string;
}) => (
  <select
    aria-label={label}
    value={value}
    onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value }, true)}
  >
    {versions.map((one) => (
      <option key={one.id} value={one.version_hash}>
        {one.version_name}
      </option>
    ))}
  </select>
);

/** Compares the newest two where the address says nothing else. */
const Differences = ({
  dataset,
  versions,
}: {
  dataset: Dataset;
  versions: readonly DatasetVersion[];
}) => {
  const [newest, before] = versions;
  if (newest === undefined || before === undefined) return null;
  const hashes = versions.map((one) => one.version_hash);
  const chosen = (name: string, usual: string) => {
    const asked = query.value.get(name) ?? '';
    return hashes.includes(asked) ? asked : usual;
  };
  const from = chosen('from', before.version_hash);
  const to = chosen('to', newest.version_hash);
  return (
    <section aria-label="Difference">
      <h2>What differs</h2>
      <p class="controls">
        from <Choice label="From version" name="from" versions={versions} value={from} /> to{' '}
        <Choice label="To version" name="to" versions={versions} value={to} />
      </p>
      {from === to ? (
        <p class="empty">This is one version.</p>
      ) : (
        <Difference dataset={dataset.id} from={from} to={to} />
      )}
    </section>
  );
};

const Tags = ({
  dataset,
  of,
  onChange,
}: {
  dataset: Dataset;
  of: DatasetVersion;
  onChange: () => void;
}) => {
  const at = { id: dataset.id, versionHash: of.version_hash };
  const change = async (now: readonly string[]) => {
    for (const tag of now.filter((one) => !of.tags.includes(one)))
      await datasetsServer.tagVersion({ params: at, body: { tag } });
    for (const tag of of.tags.filter((one) => one !== ownTag && !now.includes(one)))
      await datasetsServer.untagVersion({ params: { ...at, tag } });
    onChange();
  };
  const own = of.tags.filter((one) => one !== ownTag);
  return (
    <>
      {of.is_latest ? <span class="tag">{ownTag}</span> : null}
      {mayWrite.value ? (
        <Labels what={`tag of ${of.version_name}`} labels={own} onChange={change} />
      ) : (
        own.join(', ')
      )}
    </>
  );
};

export const DatasetVersions = ({
  dataset,
  versions,
  total,
  onChange,
}: {
  dataset: Dataset;
  versions: readonly DatasetVersion[];
  total: number;
  onChange: () => void;
}) => (
  <>
    <Differences dataset={dataset} versions={versions} />
    <h2>Versions</h2>
    <Rows
      label="Versions"
      of={{ value: versions, fault: undefined }}
      head={['Version', 'Items', 'Added', 'Changed', 'Removed', 'What changed', 'Made', 'Tags', '']}
      empty="No version yet: the first item makes one."
    >
      {(one) => (
        <tr key={one.id}>
          <th scope="row">
            <button
              type="button"
              class="link"
              onClick={() => setQuery({ tab: undefined, version: one.version_hash }, true)}
            >
              {one.version_name}
            </button>{' '}
            <code class="faint">{one.version_hash}</code>
          </th>
          <td class="number">{formatCount(one.items_total)}</td>
          <td class="number">{formatCount(one.items_added)}</td>
          <td class="number">{formatCount(one.items_modified)}</td>
          <td class="number">{formatCount(one.items_deleted)}</td>
          <td class="long" dir="auto">
            {one.change_description}
          </td>
          <td>
            {formatAgo(Date.parse(one.created_at), Date.now())} · {one.created_by}
          </td>
          <td>
            <Tags dataset={dataset} of={one} onChange={onChange} />
          </td>
          <td class="does">
            {mayWrite.value && !one.is_latest ? (
              <Act
                verb="Restore"
                label={`Restore ${one.version_name}`}
                warns="A new version with its items comes after the newest one."
                says={`${one.version_name} is restored`}
                onDo={async () => {
                  await datasetsServer.restore({
                    params: { id: dataset.id },
                    body: { version_ref: one.version_hash },
                  });
                  onChange();
                }}
              />
            ) : null}
          </td>
        </tr>
      )}
    </Rows>
    {total > versions.length ? (
      <p class="faint">
        the newest {versions.length} of {total} versions
      </p>
    ) : null}
  </>
);
