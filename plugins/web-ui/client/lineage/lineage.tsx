// What a run or version came of, and what came of it.
import { useState } from 'preact/hooks';
import { addressIn, pathOf, withQuery } from '../../pure/address.js';
import { csvLine, formatCount } from '../../pure/format.js';
import { lineageBox, placesOf, reachOf } from '../../pure/lineage.js';
import { useLoaded } from '../loading.js';
import { save } from '../save.js';
import { runServer } from '../server.js';
import { LiveTraces } from './live-traces.js';
import { Wait } from '../shell/wait.js';

type Found = Awaited<ReturnType<typeof runServer.readLineage>>;
type Node = Found['nodes'][number];

export type LineageOf =
  | { readonly run: string }
  | { readonly artifactVersion: string }
  | { readonly modelVersion: string }
  | { readonly dataset: string }
  | { readonly promptVersion: string }
  | { readonly evaluation: string };

const depths = [1, 2, 3, 5, 10] as const;
const words = {
  run: 'run',
  artifactVersion: 'artifact',
  modelVersion: 'model',
  dataset: 'dataset',
  promptVersion: 'prompt',
  evaluation: 'experiment',
} as const;

const addressOf = ({ type, id, name, version, workspace, prompt }: Node): string => {
  switch (type) {
    case 'run':
      return pathOf('experiment', id);
    case 'dataset':
    case 'evaluation':
      return pathOf('w', workspace, `${words[type]}s`, id);
    case 'promptVersion':
      return (
        pathOf('w', workspace, 'prompts', prompt ?? '') +
        withQuery('', { version: version ?? undefined })
      );
    default:
      return pathOf('w', workspace, words[type], name, ...(version === null ? [] : [version]));
  }
};

const Box = ({ node, x, y, more }: { node: Node; x: number; y: number; more: string }) => {
  const { width, height } = lineageBox;
  const name = nameOf(node);
  return (
    <a href={addressOf(node)}>
      <rect
        x={x + 0.5}
        y={y + 0.5}
        width={width - 1}
        height={height - 1}
        rx={6}
        class={`node ${node.type} ${node.level === 0 ? 'here' : ''}`}
      />
      <text x={x + 10} y={y + 17} fill="currentColor">
        {name.length > 27 ? `${name.slice(0, 12)}…${name.slice(-13)}` : name}
      </text>
      <text x={x + 10} y={y + 32} fill="currentColor" fill-opacity="0.75">
        {words[node.type]}
        {more}
      </text>
    </a>
  );
};

const Graph = ({ of }: { of: Found }) => {
  const { places, width, height } = placesOf(
    of.nodes.map(({ level }) => level),
    of.edges,
  );
  const moreOf = (at: number) =>
    of.folded
      .filter(({ node }) => node === at)
      .map(
        ({ count, direction, more }) =>
          ` · ${more ? 'at least ' : ''}${count} more ${direction === 'up' ? 'before' : 'after'}`,
      )
      .join('');
  const { width: wide, height: high } = lineageBox;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Lineage">
      <svg class="lineage" viewBox={`0 0 ${width} ${height}`} width={width} height={height}>
        {of.edges.map(({ from, to, kind }) => {
          const [a, b] = [places[from], places[to]];
          if (a === undefined || b === undefined) return null;
          const [x0, y0, x1, y1] = [a.x + wide, a.y + high / 2, b.x, b.y + high / 2];
          return (
            <path
              key={`${from} ${to} ${kind}`}
              fill="none"
              stroke="currentColor"
              stroke-opacity="0.4"
              d={`M${x0} ${y0}C${x0 + 30} ${y0} ${x1 - 30} ${y1} ${x1} ${y1}`}
            >
              <title>{kind}</title>
            </path>
          );
        })}
        {of.nodes.map((node, at) => (
          <Box
            key={node.type + node.id}
            node={node}
            x={places[at]?.x ?? 0}
            y={places[at]?.y ?? 0}
            more={moreOf(at)}
          />
        ))}
      </svg>
    </div>
  );
};

const nameOf = ({ name, version }: Node): string =>
  version === null ? name : `${name}:${version}`;

/** How far a mistake reaches: what came of it, down to the live traces of the models and prompts among that, and of the prompt that is looked at. */
const Reach = ({ of: { nodes, folded } }: { of: Found }) => {
  const reached = nodes.filter(({ level }) => level > 0);
  const models = reached.filter(({ type }) => type === 'modelVersion');
  const prompts = nodes.filter(({ type, level }) => type === 'promptVersion' && level >= 0);
  const [workspace] = [...models, ...prompts].map((one) => one.workspace);
  const counts = reachOf(nodes).map(
    ([type, count]) =>
      `${formatCount(count)} ${words[type as Node['type']]}${type.endsWith('Version') ? ' version' : ''}${count === 1 ? '' : 's'}`,
  );
  const csv = () =>
    [
      csvLine(['kind', 'name', 'steps', 'address']),
      ...reached.map((one) =>
        csvLine([
          words[one.type],
          nameOf(one),
          one.level,
          location.origin + addressIn(addressOf(one)),
        ]),
      ),
    ].join('\n');
  return (
    <section aria-label="Blast radius">
      <h2>Blast radius</h2>
      {reached.length === 0 ? (
        <p class="faint">Nothing came of it within these steps.</p>
      ) : (
        <p class="controls">
          <span>
            {counts.join(' · ')}
            {folded.some(({ direction }) => direction === 'down') ? ', and what is folded' : ''}
          </span>
          <button
            type="button"
            class="quiet"
            aria-label="Export what is reached as CSV"
            onClick={() => save('blast-radius.csv', new Blob([`${csv()}\n`]))}
          >
            Export
          </button>
        </p>
      )}
      {workspace === undefined || prompts.length === 0 ? null : (
        <LiveTraces
          workspace={workspace}
          title={`Live traces of the prompt${prompts.length === 1 ? '' : 's'}`}
          of={{ commits: prompts.flatMap(({ version }) => version ?? []) }}
        />
      )}
      {workspace === undefined || models.length === 0 ? null : (
        <LiveTraces
          workspace={workspace}
          of={{
            models: models.map(({ name, version }) => ({
              model: name,
              version: version ?? undefined,
            })),
          }}
        />
      )}
    </section>
  );
};

export const Lineage = ({ of }: { of: LineageOf }) => {
  const [depth, setDepth] = useState(3);
  const [direction, setDirection] = useState<'both' | 'up' | 'down'>('both');
  const { value, fault } = useLoaded(
    (signal) => runServer.readLineage({ query: { ...of, depth, direction } }, signal),
    [JSON.stringify(of), depth, direction],
  );
  const choices = { both: 'both ways', up: 'came of', down: 'led to' } as const;
  return (
    <>
      <div class="controls">
        {(['both', 'up', 'down'] as const).map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={one === direction}
            onClick={() => setDirection(one)}
          >
            {choices[one]}
          </button>
        ))}
        <label class="slide">
          steps
          <select
            value={String(depth)}
            onChange={({ currentTarget }) => setDepth(Number(currentTarget.value))}
          >
            {depths.map((one) => (
              <option key={one} value={String(one)}>
                {one}
              </option>
            ))}
          </select>
        </label>
      </div>
      {value === undefined ? (
        <Wait fault={fault} />
      ) : (
        <>
          <Graph of={value} />
          <p class="faint">
            {value.nodes.length} of what you may see
            {value.folded.length > 0 ? '; more is folded where it says so' : ''}
          </p>
          {direction === 'up' ? null : <Reach of={value} />}
        </>
      )}
    </>
  );
};

/** The same where it is not what one came for: asked for once it is opened. */
export const LineageWhenOpened = ({ of }: { of: LineageOf }) => {
  const [open, setOpen] = useState(false);
  return (
    <details
      class="live-traces"
      open={open}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>Lineage</summary>
      {open ? <Lineage of={of} /> : null}
    </details>
  );
};
