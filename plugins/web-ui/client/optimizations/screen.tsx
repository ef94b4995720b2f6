// One search for a better prompt: its trials over time, the best so far, and what the best one tried.
import { useEffect, useState } from 'preact/hooks';
import { pathOf } from '../../pure/address.js';
import { formatAgo, formatCount } from '../../pure/format.js';
import { formatCost } from '../../pure/trace-values.js';
import {
  gainText,
  promptOf,
  promptText,
  rankedTrials,
  type RankedTrial,
} from '../../pure/trials.js';
import {
  experimentsServer,
  optimizationsServer,
  type Experiment,
  type Optimization,
} from '../evaluating-server.js';
import { useStored } from '../loading.js';
import { useSubject } from '../subject.js';
import { mayWrite } from '../request.js';
import { Deletes } from '../shell/deletes.js';
import { Asks } from '../shell/form.js';
import { Rows } from '../shell/rows.js';
import { Coming, Stale } from '../shell/versions.js';
import { WorkspaceTabs } from '../shell/workspace-tabs.js';
import { TextDiff } from '../told/text-diff.js';
import { scoreText } from './list.js';
import { AskAgain } from '../shell/wait.js';

const [pageSize, mostTrials] = [100, 500];
const everyMs = 5000;
const kinds = ['trial', 'mini-batch', 'mutation', 'regular'];

type Ranked = readonly RankedTrial<Experiment>[];

const loadTrials = async (id: string, signal: AbortSignal) => {
  const trials: Experiment[] = [];
  for (let page = 1; ; page++) {
    const { content, total } = await experimentsServer.list(
      { query: { optimization_id: id, types: JSON.stringify(kinds), page, size: pageSize } },
      signal,
    );
    trials.push(...content);
    if (content.length < pageSize || trials.length >= Math.min(total, mostTrials))
      return { trials, total };
  }
};

const sheet = { width: 720, height: 200, left: 48, right: 12, top: 12, bottom: 22 } as const;

/** Each trial as a point, and the best so far as a line. */
const Progress = ({ ranked, objective }: { ranked: Ranked; objective: string }) => {
  const values = ranked.flatMap(({ value }) => value ?? []);
  if (values.length < 2) return null;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const toX = (number: number) =>
    sheet.left +
    ((number - (ranked[0]?.number ?? 1)) / Math.max(1, ranked.length - 1)) *
      (sheet.width - sheet.left - sheet.right);
  const toY = (value: number) =>
    sheet.height -
    sheet.bottom -
    ((value - low) / (high - low || 1)) * (sheet.height - sheet.top - sheet.bottom);
  const steps = ranked.flatMap(({ number, best }) =>
    best === undefined ? [] : [[toX(number), toY(best)] as const],
  );
  const line = steps.map(([x, y], at) => (at === 0 ? `M${x} ${y}` : `H${x}V${y}`)).join('');
  return (
    <svg
      class="trials"
      viewBox={`0 0 ${sheet.width} ${sheet.height}`}
      role="img"
      aria-label={`${objective} of ${ranked.length} trials, the best ${scoreText(high)}; the table below has each`}
    >
      <path d={line} fill="none" stroke="var(--accent)" stroke-width="1.5" />
      {ranked.map(({ trial, number, value, leads }) =>
        value === undefined ? null : (
          <circle
            key={trial.id}
            cx={toX(number)}
            cy={toY(value)}
            r={leads ? 4.5 : 3}
            fill={leads ? 'var(--accent)' : 'var(--faint)'}
          >
            <title>{`${number}. ${trial.name}: ${scoreText(value)}`}</title>
          </circle>
        ),
      )}
      {[low, high].map((value) => (
        <text
          key={value}
          x={sheet.left - 6}
          y={toY(value) + 4}
          text-anchor="end"
          fill="currentColor"
        >
          {scoreText(value)}
        </text>
      ))}
      <text x={sheet.left} y={sheet.height - 4} fill="currentColor">
        trial {ranked[0]?.number}
      </text>
      <text
        x={sheet.width - sheet.right}
        y={sheet.height - 4}
        text-anchor="end"
        fill="currentColor"
      >
        {ranked.at(-1)?.number}
      </text>
    </svg>
  );
};

/** What the first and the best trial tried, word by word. */
const Prompts = ({ ranked }: { ranked: Ranked }) => {
  const best = ranked.findLast(({ leads }) => leads);
  const first = ranked[0];
  const [from, to] = [first, best].map((one) =>
    one === undefined ? undefined : promptOf(one.trial),
  );
  if (best === undefined || to === undefined) return null;
  return (
    <section aria-label="The best prompt">
      <h2>The best prompt</h2>
      {from === undefined || first === best ? (
        <pre class="code" tabIndex={0} aria-label="Prompt of the best trial" dir="auto">
          {promptText(to)}
        </pre>
      ) : (
        <TextDiff
          label="From the first to the best prompt"
          from={promptText(from)}
          to={promptText(to)}
        />
      )}
    </section>
  );
};

const Trials = ({ ranked, workspace }: { ranked: Ranked; workspace: string }) => {
  const best = ranked.findLast(({ leads }) => leads);
  return (
    <Rows
      label="Trials"
      of={{ value: [...ranked].reverse(), fault: undefined }}
      head={['Trial', 'Name', 'Kind', 'Objective', 'Items', 'Cost', 'Made']}
      empty="No trial yet."
    >
      {({ trial, number, value, leads }) => (
        <tr key={trial.id}>
          <td class="number">{number}</td>
          <th scope="row" class="long" dir="auto">
            <a href={pathOf('w', workspace, 'experiments', trial.id)}>{trial.name}</a>
          </th>
          <td>{trial.type}</td>
          <td class="number">
            {scoreText(value)}{' '}
            <span class="faint">
              {trial.id === best?.trial.id ? '★ best' : leads ? '▲ best by then' : ''}
            </span>
          </td>
          <td class="number">{formatCount(trial.trace_count)}</td>
          <td class="number">
            {trial.total_estimated_cost === undefined ? '' : formatCost(trial.total_estimated_cost)}
          </td>
          <td>{formatAgo(Date.parse(trial.created_at), Date.now())}</td>
        </tr>
      )}
    </Rows>
  );
};

const Head = ({
  of,
  workspace,
  again,
}: {
  of: Optimization;
  workspace: string;
  again: () => void;
}) => {
  const facts: readonly (readonly [string, string])[] = [
    ['objective', of.objective_name],
    ['status', of.status],
    ['baseline', scoreText(of.baseline_objective_score)],
    [
      'best',
      `${scoreText(of.best_objective_score)} ${gainText(of.baseline_objective_score, of.best_objective_score)}`,
    ],
    ...(of.total_optimization_cost === undefined
      ? []
      : [['cost', formatCost(of.total_optimization_cost)] as const]),
  ];
  return (
    <>
      <h1 dir="auto">{of.name ?? of.id}</h1>
      <WorkspaceTabs workspace={workspace} at="optimizations" />
      <p class="controls">
        {of.dataset_id === undefined ? null : (
          <a class="button" href={pathOf('w', workspace, 'datasets', of.dataset_id)}>
            Its dataset
          </a>
        )}
        {mayWrite.value ? (
          <>
            <Asks
              verb="Rename"
              label="Rename the optimization"
              send="Save"
              says="The optimization is renamed"
              onSend={(field) =>
                optimizationsServer
                  .update({ params: { id: of.id }, body: { name: field('name') } })
                  .finally(again)
              }
            >
              <label>
                Name
                <input name="name" required maxLength={250} defaultValue={of.name ?? ''} />
              </label>
            </Asks>
            <Deletes
              what="optimization"
              name={of.name ?? of.id}
              id={of.id}
              warns="Its trials stay, as experiments."
              onDo={() => optimizationsServer.remove({ body: { ids: [of.id] } })}
              leaves={pathOf('w', workspace, 'optimizations')}
            />
          </>
        ) : null}
      </p>
      <dl class="figures">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd dir="auto">{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
};

export const OptimizationScreen = ({ workspace, id }: { workspace: string; id: string }) => {
  const [tick, setTick] = useState(0);
  const found = useSubject(
    (signal) => optimizationsServer.show({ params: { id } }, signal),
    [id, tick],
  );
  const trials = useStored((signal) => loadTrials(id, signal), [id, tick]);
  const running = !found.gone && ['running', 'initialized'].includes(found.value?.status ?? '');
  useEffect(() => {
    if (!running) return undefined;
    const timer = setInterval(() => document.hidden || setTick((now) => now + 1), everyMs);
    return () => clearInterval(timer);
  }, [running]);
  if (found.value === undefined) return <Coming of={found} />;
  const { trials: all = [], total = 0 } = trials.value ?? {};
  const ranked = rankedTrials(all, found.value.objective_name, Math.max(0, total - all.length));
  return (
    <main class="page wide">
      <Head of={found.value} workspace={workspace} again={found.again} />
      <Stale of={found} what="optimization" list={pathOf('w', workspace, 'optimizations')} />
      <p class="told" role="status">
        {trials.fault !== undefined ? (
          <>
            {trials.fault} <AskAgain />
          </>
        ) : trials.value === undefined ? (
          'loading …'
        ) : (
          `${formatCount(ranked.length)} of ${formatCount(trials.value.total)} trials${ranked.length < trials.value.total ? ', the newest' : ''}`
        )}
      </p>
      <Progress ranked={ranked} objective={found.value.objective_name} />
      <Prompts ranked={ranked} />
      {trials.value === undefined ? null : <Trials ranked={ranked} workspace={workspace} />}
    </main>
  );
};
