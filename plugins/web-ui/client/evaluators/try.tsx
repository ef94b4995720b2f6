// Tries a rule on some of the newest things of a project without storing anything; and has it score them for good.
import { useState } from 'preact/hooks';
import { pathOf } from '../../pure/address.js';
import { ruleTypes, sentCode, type RuleDraft, type RuleScope } from '../../pure/evaluators.js';
import { formatNumber } from '../../pure/format.js';
import { previewOf } from '../../pure/trace-values.js';
import { useLoaded } from '../loading.js';
import { saysFault } from '../request.js';
import { rulesServer, type RulePreview } from '../reviewing-server.js';
import { Act } from '../shell/form.js';
import { Json } from '../trace/json.js';
import { threadsServer, tracesServer } from '../traces-server.js';
import { Fault } from '../shell/wait.js';

const sampleSize = 10;

interface Thing {
  readonly id: string;
  readonly says: string;
  readonly path: readonly string[] | undefined;
}

const load = async (
  scope: RuleScope,
  project_id: string,
  signal: AbortSignal,
): Promise<readonly Thing[]> => {
  const query = { project_id, page: 1, size: sampleSize, truncate: true };
  if (scope === 'thread')
    return (await threadsServer.page({ query }, signal)).content.map((one) => ({
      id: one.thread_model_id,
      says: `${one.id} · ${previewOf(one.first_message)}`,
      path: ['thread', one.id],
    }));
  if (scope === 'span')
    return (await rulesServer.spans({ query }, signal)).content.map((one) => ({
      id: one.id,
      says: `${one.name ?? 'span'} · ${previewOf(one.input)}`,
      path: undefined,
    }));
  return (await tracesServer.page({ query }, signal)).content.map((one) => ({
    id: one.id,
    says: `${one.name ?? 'trace'} · ${previewOf(one.input)}`,
    path: ['trace', one.id],
  }));
};

type Outcome = RulePreview | { readonly fault: string };
const isGiven = (one: Outcome): one is RulePreview => 'scores' in one;

const Shown = ({ of }: { of: Outcome | undefined }) => {
  if (of === undefined) return <span class="faint">waiting …</span>;
  if (!isGiven(of)) return <p class="fault">{of.fault}</p>;
  return (
    <>
      {of.fault === undefined ? null : <p class="fault">{of.fault}</p>}
      {of.scores.map(({ name, value, reason }) => (
        <p key={name} dir="auto">
          <b>{name}</b> {formatNumber(value)} <span class="faint">{reason}</span>
        </p>
      ))}
      {of.left.length > 0 && of.fault === undefined ? (
        <p class="fault" dir="auto">
          no score for {of.left.join(', ')}
        </p>
      ) : null}
      {of.messages === undefined && of.answer === undefined ? null : (
        <details>
          <summary>What was sent and answered</summary>
          <Json value={{ messages: of.messages, answer: of.answer }} open={3} />
        </details>
      )}
    </>
  );
};

export const TryRule = ({
  draft,
  ruleId,
  base,
}: {
  draft: RuleDraft;
  /** Of a rule that is stored. */
  ruleId: string | undefined;
  /** Where the project of the things is. */
  base: readonly string[];
}) => {
  const { scope } = ruleTypes[draft.type];
  const projectId = draft.projectIds[0];
  const { value, fault } = useLoaded(
    async (signal) => (projectId === undefined ? [] : load(scope, projectId, signal)),
    [scope, projectId],
  );
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [outcomes, setOutcomes] = useState<Readonly<Record<string, Outcome>>>({});
  const [busy, setBusy] = useState<readonly string[]>([]);
  const [wrong, setWrong] = useState('');
  const run = async (project_id: string) => {
    setWrong('');
    setOutcomes({});
    try {
      const code = sentCode(draft);
      setBusy(chosen);
      for (const entity_id of chosen) {
        const outcome: Outcome = await rulesServer
          .preview({ body: { project_id, entity_id, type: draft.type, code } })
          .catch((thrown: unknown) => ({ fault: saysFault(thrown) }));
        setOutcomes((before) => ({ ...before, [entity_id]: outcome }));
      }
    } catch (thrown) {
      setWrong(saysFault(thrown));
    }
    setBusy([]);
  };
  if (projectId === undefined) return null;
  return (
    <section aria-label="Try it">
      <h2>Try it</h2>
      <p class="faint">
        On some of the newest {scope}s of the first project, as the rule is written now. Nothing is
        stored; a model is asked once for each.
      </p>
      <Fault of={fault} />
      {value?.length === 0 ? <p class="empty">The project has no {scope} yet.</p> : null}
      <ul class="plain-list tried">
        {(value ?? []).map(({ id, says, path }) => (
          <li key={id}>
            <label class="check" dir="auto">
              <input
                type="checkbox"
                checked={chosen.includes(id)}
                onChange={({ currentTarget: { checked } }) =>
                  setChosen(checked ? [...chosen, id] : chosen.filter((one) => one !== id))
                }
              />{' '}
              {says}
            </label>{' '}
            {path === undefined ? null : (
              <a href={pathOf(...base, ...path)} aria-label={`Open ${says}`}>
                →
              </a>
            )}
            {outcomes[id] === undefined && !busy.includes(id) ? null : <Shown of={outcomes[id]} />}
          </li>
        ))}
      </ul>
      {wrong === '' ? null : (
        <p class="fault" role="alert">
          {wrong}
        </p>
      )}
      <p class="controls">
        <button
          type="button"
          disabled={chosen.length === 0 || busy.length > 0}
          onClick={() => void run(projectId)}
        >
          Try it on {chosen.length}
        </button>
        {ruleId === undefined || chosen.length === 0 ? null : (
          <Act
            verb="Score them for good"
            label="Score them for good"
            warns={`The rule, as it is saved, scores ${chosen.length} ${scope}${chosen.length === 1 ? '' : 's'} whatever it filters and samples. Scores it gave before are replaced.`}
            says="They will be scored; the log says what became of it"
            onDo={() =>
              rulesServer.evaluate[scope]({
                body: {
                  project_id: projectId,
                  entity_ids: [...chosen],
                  rule_ids: [ruleId],
                  entity_type: scope,
                },
              })
            }
          />
        )}
      </p>
    </section>
  );
};
