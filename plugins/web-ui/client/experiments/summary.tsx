// What experiments come to: means of scores, how many items got better and worse, what they took, and how scores lie.
import { useState } from 'preact/hooks';
import { pathOf, writeList } from '../../pure/address.js';
import {
  distributionOf,
  meanOf,
  scoreIn,
  stretchOf,
  verdictOf,
  writeStretch,
  type ItemRow,
  type Judged,
  type Stretch,
} from '../../pure/experiments.js';
import { formatCount, formatNumber } from '../../pure/format.js';
import { formatCost, formatDuration } from '../../pure/trace-values.js';
import { experimentsServer, type Experiment } from '../evaluating-server.js';
import { LineageWhenOpened } from '../lineage/lineage.js';
import { useLoaded } from '../loading.js';
import { go, setQuery } from '../state.js';
import { Json } from '../trace/json.js';
import { passedText } from './list.js';
import { letterOf } from './table.js';
import { Wait } from '../shell/wait.js';

const rounded = (value: number): string => formatNumber(Number(value.toPrecision(3)));

/** The mean of a score over items, and by how much it moved against the first experiment. */
const Mean = ({ rows, at, name }: { rows: readonly ItemRow[]; at: number; name: string }) => {
  const means = [0, at].map((place) =>
    meanOf(rows.flatMap(({ runs }) => scoreIn(runs[place], name) ?? [])),
  );
  const [base, own] = means;
  if (own === undefined) return <>–</>;
  const moved = base === undefined ? 0 : own - base;
  return (
    <>
      {rounded(own)}
      {moved === 0 ? null : (
        <span class="faint">
          {' '}
          {moved > 0 ? '+' : '−'}
          {rounded(Math.abs(moved))}
        </span>
      )}
    </>
  );
};

const chanceText = (chance: number): string =>
  chance < 0.001 ? 'p < 0.001' : `p = ${formatNumber(Number(chance.toPrecision(2)))}`;

const VerdictCell = ({ rows, at, by }: { rows: readonly ItemRow[]; at: number; by: Judged }) => {
  if (at === 0) return <span class="faint">baseline</span>;
  const { better, worse, same, chance } = verdictOf(rows, at, by);
  return (
    <>
      {better} better, {worse} worse, {same} the same
      {chance === undefined ? null : (
        <span class="faint" title="How likely so uneven a split is by chance alone: a sign test">
          {' '}
          · {chanceText(chance)}
        </span>
      )}
    </>
  );
};

export const Summary = ({
  workspace,
  of,
  rows,
  by,
  names,
}: {
  workspace: string;
  of: readonly Experiment[];
  rows: readonly ItemRow[];
  by: Judged;
  names: readonly string[];
}) => {
  const ids = of.map(({ id }) => id);
  const compares = of.length > 1;
  const without = (id: string) => {
    const [first, ...others] = ids.filter((one) => one !== id);
    if (first === undefined) return;
    if (first === ids[0]) setQuery({ with: writeList(others) }, true);
    else lead(first, others);
  };
  const lead = (first: string, others: readonly string[]) => {
    const search = new URLSearchParams(location.search);
    search.set('with', writeList(others));
    go(`${pathOf('w', workspace, 'experiments', first)}?${search.toString()}`);
  };
  return (
    <div class="scroll" role="region" aria-label="What is compared" tabIndex={0}>
      <table class="plain many">
        <thead>
          <tr>
            <th scope="col">Experiment</th>
            {compares && by.score !== '' ? <th scope="col">By {by.score}</th> : null}
            {names.map((name) => (
              <th key={name} scope="col" class="number">
                {name}
              </th>
            ))}
            <th scope="col">Whole</th>
            <th scope="col">Status</th>
            {compares ? (
              <th scope="col">
                <span class="unseen">acts</span>
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody>
          {of.map((one, at) => (
            <tr key={one.id}>
              <th scope="row" class="long" dir="auto">
                {compares ? <b>{letterOf(at)} </b> : null}
                {compares ? (
                  <a href={pathOf('w', workspace, 'experiments', one.id)}>{one.name}</a>
                ) : (
                  one.name
                )}
              </th>
              {compares && by.score !== '' ? (
                <td>
                  <VerdictCell rows={rows} at={at} by={by} />
                </td>
              ) : null}
              {names.map((name) => (
                <td key={name} class="number">
                  <Mean rows={rows} at={at} name={name} />
                </td>
              ))}
              <td>
                {[
                  ...(one.experiment_scores ?? []).map(
                    ({ name, value }) => `${name} ${rounded(value)}`,
                  ),
                  passedText(one),
                  `${formatCount(one.trace_count)} traces`,
                  one.duration === undefined ? '' : `p50 ${formatDuration(one.duration.p50)}`,
                  one.total_estimated_cost === undefined
                    ? ''
                    : formatCost(one.total_estimated_cost),
                ]
                  .filter((says) => says !== '')
                  .join(' · ')}
              </td>
              <td>{one.status}</td>
              {compares ? (
                <td class="does">
                  {at === 0 ? null : (
                    <button
                      type="button"
                      aria-label={`As baseline: ${one.name}`}
                      onClick={() =>
                        lead(
                          one.id,
                          ids.filter((id) => id !== one.id),
                        )
                      }
                    >
                      As baseline
                    </button>
                  )}{' '}
                  <button
                    type="button"
                    aria-label={`Take ${one.name} out`}
                    onClick={() => without(one.id)}
                  >
                    ×
                  </button>
                </td>
              ) : null}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};

const high = 44;

/** Shows only the items of a stretch. */
const narrow = (to: Stretch) => setQuery({ in: writeStretch(to), peek: undefined }, true);

const Bars = ({ of, at, label }: { of: Found; at: number; label: string }) => {
  const counts = of.counts[at] ?? [];
  const top = Math.max(...of.counts.flat(), 1);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${counts.length} ${high}`}
      preserveAspectRatio="none"
    >
      {counts.map((count, place) => {
        const height = count === 0 ? 0 : Math.max(1, (count / top) * high);
        const stretch = stretchOf(of, at, place);
        return (
          <g key={place} onClick={() => narrow(stretch)}>
            <title>{`${rounded(stretch.from)} to ${rounded(stretch.to)}: ${count} items`}</title>
            <rect class="all" x={place} y={0} width={1} height={high} />
            <rect x={place + 0.05} y={high - height} width={0.9} height={height} />
          </g>
        );
      })}
    </svg>
  );
};
type Found = NonNullable<ReturnType<typeof distributionOf>>;

const BarsAsTable = ({
  of,
  experiments,
  score,
}: {
  of: Found;
  experiments: readonly Experiment[];
  score: string;
}) => (
  <div class="scroll" role="region" aria-label="Scores as a table" tabIndex={0}>
    <table class="plain">
      <thead>
        <tr>
          <th scope="col">{score}</th>
          {experiments.map(({ id, name }, at) => (
            <th key={id} scope="col" class="number">
              {letterOf(at)} {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {(of.counts[0] ?? []).map((_, place) => {
          const { from, to } = stretchOf(of, 0, place);
          const says = `${rounded(from)} to ${rounded(to)}`;
          return (
            <tr key={place}>
              <th scope="row">{says}</th>
              {of.counts.map((some, at) => (
                <td key={at} class="number">
                  <button
                    type="button"
                    class="link"
                    aria-label={`${some[place] ?? 0}: only items of ${letterOf(at)} with ${says}`}
                    onClick={() => narrow(stretchOf(of, at, place))}
                  >
                    {some[place]}
                  </button>
                </td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  </div>
);

/** How the chosen score lies over the items of each experiment, over the same stretches for all; a press shows only the items of a stretch. */
export const Distribution = ({
  of,
  rows,
  score,
}: {
  of: readonly Experiment[];
  rows: readonly ItemRow[];
  score: string;
}) => {
  const found = distributionOf(rows, score);
  if (found === undefined || found.least === found.most) return null;
  return (
    <div class="small-charts">
      {of.map(({ id, name }, at) => (
        <figure key={id} class="small-chart">
          <figcaption>
            {of.length === 1 ? score : `${letterOf(at)} ${score}`}{' '}
            <span class="faint">
              {rounded(found.least)} to {rounded(found.most)}
            </span>
          </figcaption>
          <Bars of={found} at={at} label={`How ${score} of ${name} lies`} />
        </figure>
      ))}
      <details>
        <summary>As a table</summary>
        <BarsAsTable of={found} experiments={of} score={score} />
      </details>
    </div>
  );
};

type Stat = Awaited<ReturnType<typeof experimentsServer.statistics>>['stats'][number];

/** A count or mean as one figure, percentiles as three. */
const figuresOf = ({ name, type, value }: Stat): readonly (readonly [string, string])[] => {
  const show = name.startsWith('duration')
    ? formatDuration
    : name.startsWith('total_estimated_cost')
      ? formatCost
      : rounded;
  if (typeof value === 'number') return [[type === 'AVG' ? `${name}, mean` : name, show(value)]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([part, one]) =>
    typeof one === 'number' ? [[`${name}, ${part}`, show(one)] as const] : [],
  );
};

const loadStatistics = async (of: readonly Experiment[], signal: AbortSignal) =>
  Promise.all(
    of.map(async ({ id, dataset_id: dataset }) => {
      if (dataset === undefined) return new Map<string, string>();
      const { stats } = await experimentsServer.statistics(
        { params: { id: dataset }, query: { experiment_ids: JSON.stringify([id]) } },
        signal,
      );
      return new Map(stats.flatMap(figuresOf));
    }),
  );

const AllFigures = ({ of }: { of: readonly Experiment[] }) => {
  const { value, fault } = useLoaded(
    (signal) => loadStatistics(of, signal),
    [of.map(({ id }) => id).join()],
  );
  if (value === undefined) return <Wait fault={fault} />;
  const names = [...new Set(value.flatMap((one) => [...one.keys()]))];
  return (
    <div class="scroll" role="region" aria-label="Statistics as a table" tabIndex={0}>
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">of all items</th>
            {of.map(({ id, name }) => (
              <th key={id} scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {names.map((name) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {value.map((one, at) => (
                <td key={at} class="number">
                  {one.get(name) ?? '–'}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};

/** What each experiment was made with: versions of prompts, and what was stored beside it. */
export const MadeWith = ({ workspace, of }: { workspace: string; of: readonly Experiment[] }) => (
  <details>
    <summary>Made with</summary>
    <div class="variants">
      {of.map(({ id, name, metadata, prompt_versions: versions }, at) => (
        <section key={id} class="variant" aria-label={`What ${name} was made with`}>
          <h2 dir="auto">{of.length === 1 ? name : `${letterOf(at)} ${name}`}</h2>
          <ul class="plain-list">
            {(versions ?? []).map(({ prompt_id: prompt, prompt_name: called, commit, ...one }) => (
              <li key={one.prompt_version_id} dir="auto">
                {prompt === undefined || commit === undefined ? (
                  'a prompt that is no longer there'
                ) : (
                  <a
                    class="said"
                    href={`${pathOf('w', workspace, 'prompts', prompt)}?version=${encodeURIComponent(commit)}`}
                  >
                    {called ?? prompt} {commit}
                  </a>
                )}
              </li>
            ))}
          </ul>
          {metadata === undefined || metadata === null ? (
            <p class="faint">Nothing was stored beside it.</p>
          ) : (
            <Json value={metadata} />
          )}
          <LineageWhenOpened of={{ evaluation: id }} />
        </section>
      ))}
    </div>
  </details>
);

/** Counts, means and percentiles, asked for when they are looked at. */
export const Statistics = ({ of }: { of: readonly Experiment[] }) => {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Statistics</summary>
      {open ? <AllFigures of={of} /> : null}
    </details>
  );
};
