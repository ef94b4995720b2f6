// A trace in other ways than as a tree: what happened one after another, and what was said to models and by them.
import { useRef } from 'preact/hooks';
import { withQuery } from '../../pure/address.js';
import { formatCount } from '../../pure/format.js';
import type { TreeRow } from '../../pure/trace-tree.js';
import { formatCost, formatDuration } from '../../pure/trace-values.js';
import { useStored } from '../loading.js';
import { useSeen } from '../seen.js';
import { Grid, type GridColumn } from '../shell/grid.js';
import { spansServer } from '../traces-server.js';
import { askLarge } from './large.js';
import { Said } from './value.js';
import { Fault, Wait } from '../shell/wait.js';

export interface OfView {
  /** In the order in which they began. */
  readonly rows: readonly TreeRow[];
  readonly began: number;
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
}

const columns: readonly GridColumn[] = [
  { label: 'after', width: 86 },
  { label: 'span', width: 160, grows: true },
  { label: 'type', width: 76 },
  { label: 'took', width: 86, numeric: true },
  { label: 'tokens', width: 76, numeric: true },
  { label: 'cost', width: 96, numeric: true },
  { label: 'error', width: 120, grows: true },
];

const addressOf = (id: string): string =>
  location.pathname + withQuery(location.search, { span: id });

export const TraceLog = ({ rows, began, chosen, onChoose }: OfView) => {
  const cursor = rows.findIndex(({ span }) => span.id === chosen);
  return (
    <Grid
      label="Spans one after another"
      columns={columns}
      count={rows.length}
      at={(place) => {
        const span = rows[place]?.span;
        if (span === undefined) return undefined;
        const { id, start, end, name, type, model, tokens, cost, error } = span;
        return {
          key: id,
          address: addressOf(id),
          cells: [
            { text: `+${formatDuration(Math.max(0, start - began))}` },
            { text: model === undefined ? name : `${name} · ${model}` },
            { text: type },
            { text: end === undefined ? 'running' : formatDuration(end - start), kind: 'number' },
            { text: tokens === 0 ? '' : formatCount(tokens), kind: 'number' },
            { text: cost === 0 ? '' : formatCost(cost), kind: 'number' },
            { text: error ?? '', kind: error === undefined ? '' : 'fault' },
          ],
        };
      }}
      of={rows}
      cursor={cursor === -1 ? undefined : cursor}
      onOpen={onChoose}
    />
  );
};

const mostCalls = 200;

/** What a model was told and said; of an input that repeats the conversation so far, the last message is what is new. */
const Call = ({ of, onChoose }: { of: TreeRow['span']; onChoose: (id: string) => void }) => {
  const box = useRef<HTMLLIElement>(null);
  const seen = useSeen(box);
  const { value, fault } = useStored(
    async (signal) =>
      seen
        ? askLarge(
            spansServer.show,
            { params: { id: of.id }, query: { strip_attachments: true } },
            signal,
          )
        : undefined,
    [of.id, seen],
  );
  return (
    <li class="turn" ref={box}>
      <p class="faint">
        <button type="button" class="link" onClick={() => onChoose(of.id)}>
          {of.name}
        </button>{' '}
        {[of.model, of.end === undefined ? 'running' : formatDuration(of.end - of.start)]
          .filter((one) => one !== undefined)
          .join(' · ')}
      </p>
      <Fault of={fault} />
      {value === undefined ? (
        fault === undefined ? (
          <Wait />
        ) : null
      ) : (
        <>
          <Said value={value.input ?? null} label={`What ${of.name} was told`} onlyNew />
          {value.error_info === undefined ? null : (
            <p class="fault">✗ {value.error_info.exception_type}</p>
          )}
          <Said value={value.output ?? null} label={`What ${of.name} said`} />
        </>
      )}
    </li>
  );
};

export const TraceChat = ({ rows, onChoose }: OfView) => {
  const calls = rows.filter(({ span }) => span.type === 'llm');
  if (calls.length === 0) return <p class="empty">No span of this trace asked a model.</p>;
  return (
    <>
      <ol class="turns trace-chat" aria-label="What models were told and said">
        {calls.slice(0, mostCalls).map(({ span }) => (
          <Call key={span.id} of={span} onChoose={onChoose} />
        ))}
      </ol>
      {calls.length > mostCalls ? (
        <p class="faint">
          the first {formatCount(mostCalls)} of {formatCount(calls.length)}
        </p>
      ) : null}
    </>
  );
};
