// One trace or span in full, asked for when it is looked at.
import type { ComponentChildren } from 'preact';
import { pathOf } from '../../pure/address.js';
import { formatCount } from '../../pure/format.js';
import { formatCost, formatDuration } from '../../pure/trace-values.js';
import { useStored } from '../loading.js';
import { mayWrite } from '../request.js';
import { deletions } from '../shell/delete-soon.js';
import { Labels } from '../told/labels.js';
import { spansServer, tracesServer, type ShownSpan, type ShownTrace } from '../traces-server.js';
import { CommentList, ScoreList, toldOf, type EntryKind } from './about.js';
import { Files } from './files.js';
import { askLarge } from './large.js';
import { Value } from './value.js';
import { Wait } from '../shell/wait.js';

type Entry = ShownTrace & Partial<Pick<ShownSpan, 'type' | 'model' | 'provider'>>;
type Fact = readonly [name: string, says: ComponentChildren];

const load = (kind: EntryKind, id: string, signal: AbortSignal): Promise<Entry> => {
  const ask = { params: { id }, query: { strip_attachments: true } };
  return kind === 'trace'
    ? askLarge(tracesServer.show, ask, signal)
    : askLarge(spansServer.show, ask, signal);
};

const timeOf = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : new Date(text).toLocaleString();

const factsOf = (kind: EntryKind, of: Entry, base: readonly string[]): readonly Fact[] => {
  const all: readonly (readonly [string, ComponentChildren | undefined])[] = [
    ['Type', kind === 'span' ? of.type : undefined],
    ['Model', of.model],
    ['Provider', of.provider ?? of.providers?.join(', ')],
    ['Began', timeOf(of.start_time)],
    ['Duration', of.duration === undefined ? 'still running' : formatDuration(of.duration)],
    ['First token', of.ttft === undefined ? undefined : formatDuration(of.ttft)],
    ['Spans', of.span_count === undefined ? undefined : formatCount(of.span_count)],
    [
      'Cost',
      of.total_estimated_cost === undefined ? undefined : formatCost(of.total_estimated_cost),
    ],
    ...Object.entries(of.usage ?? {})
      .slice(0, 30)
      .map(([name, count]) => [name.replaceAll('_', ' '), formatCount(count)] as const),
    [
      'Thread',
      of.thread_id === undefined ? undefined : (
        <a href={pathOf(...base, 'thread', of.thread_id)}>{of.thread_id}</a>
      ),
    ],
    ['Environment', of.environment],
    ['Source', of.source],
    ['Guardrails', guardrailsOf(of)],
    ['Experiment', of.experiment?.name],
    ['By', of.created_by],
    ['Id', <code>{of.id}</code>],
  ];
  return all.flatMap(([name, says]) =>
    says === undefined || says === '' ? [] : [[name, says] as const],
  );
};
const guardrailsOf = (of: Entry): string | undefined =>
  of.guardrails_validations
    ?.flatMap(({ checks }) => checks.map(({ name, result }) => `${name} ${result}`))
    .join(', ');

const Failed = ({ of }: { of: NonNullable<Entry['error_info']> }) => (
  <section aria-label="Error">
    <h2 class="fault">✗ {of.exception_type}</h2>
    {of.message === undefined ? null : (
      <p class="fault notes" dir="auto">
        {of.message}
      </p>
    )}
    <pre class="error" tabIndex={0} aria-label="Stack of the error">
      {of.traceback}
    </pre>
  </section>
);

const Tags = ({ kind, of, onChange }: { kind: EntryKind; of: Entry; onChange: () => void }) => {
  const tags = of.tags ?? [];
  const change = (labels: readonly string[]) => {
    const update = {
      tags_to_add: labels.filter((one) => !tags.includes(one)),
      tags_to_remove: tags.filter((one) => !labels.includes(one)),
    };
    const body = { ids: [of.id], update };
    return (kind === 'trace' ? tracesServer.update({ body }) : spansServer.update({ body })).then(
      onChange,
    );
  };
  return mayWrite.value ? (
    <Labels what="tag" labels={tags} onChange={change} />
  ) : (
    <p>{tags.join(', ')}</p>
  );
};

export const EntryView = ({
  kind,
  id,
  base,
  tick = 0,
  onChange,
}: {
  kind: EntryKind;
  id: string;
  base: readonly string[];
  tick?: number;
  /** Called after something of it was changed. */
  onChange?: () => void;
}) => {
  const { value, fault, again } = useStored(
    (signal) => load(kind, id, signal),
    [...[kind, id, tick, deletions.value]],
  );
  const changed = () => {
    again();
    onChange?.();
  };
  if (value === undefined || value.id !== id) return <Wait fault={fault} />;
  const of = { kind, id, projectId: value.project_id };
  const told = toldOf(kind, id);
  return (
    <div class="entry">
      {value.error_info === undefined ? null : <Failed of={value.error_info} />}
      <Value title="Input" value={value.input} />
      <Value title="Output" value={value.output} />
      <Files {...of} />
      <ScoreList
        told={told}
        projectId={of.projectId}
        scores={value.feedback_scores ?? []}
        onChange={changed}
      />
      <CommentList told={told} comments={value.comments ?? []} onChange={changed} />
      <h2>Tags</h2>
      <Tags kind={kind} of={value} onChange={changed} />
      <h2>Facts</h2>
      <table class="plain">
        <tbody>
          {factsOf(kind, value, base).map(([name, says]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td dir="auto">{says}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Value title="Metadata" value={value.metadata} />
    </div>
  );
};
