// The form in which a rule is written: what it scores, how much of that, and by what.
import { useState } from 'preact/hooks';
import {
  filterFields,
  isPython,
  isRuleType,
  ruleTypes,
  usualRule,
  type RuleDraft,
} from '../../pure/evaluators.js';
import { useLoaded } from '../loading.js';
import { rulesServer } from '../reviewing-server.js';
import { Filters } from '../traces/filters.js';
import { JudgeFields, Paths, type DraftProps } from './judge.js';

interface Project {
  readonly projectId: string;
  readonly projectName: string;
}

/** Whether this server runs metrics in Python; nothing while that is not known. */
const useRunsPython = () =>
  useLoaded((signal) => rulesServer.toggles({}, signal), []).value?.['pythonEvaluatorEnabled'];

const AddParameter = ({ draft: { paths }, onDraft }: DraftProps) => {
  const [name, setName] = useState('');
  const add = () => {
    if (name.trim() !== '') onDraft({ paths: { ...paths, [name.trim()]: '' } });
    setName('');
  };
  return (
    <p class="controls">
      <input
        aria-label="Name of a parameter"
        placeholder="parameter of score()"
        value={name}
        onInput={({ currentTarget }) => setName(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          add();
        }}
      />
      <button type="button" onClick={add}>
        + Parameter
      </button>
    </p>
  );
};

const MetricFields = (props: DraftProps) => {
  const { draft, onDraft } = props;
  const runs = useRunsPython();
  return (
    <>
      {runs === false ? (
        <p class="warning" role="note">
          This server runs no Python metrics: the rule is kept and scores nothing. Whoever runs the
          server switches them on by ORRERY_PYTHON_METRICS.
        </p>
      ) : null}
      <label class="upright">
        Metric: a class of BaseMetric with a method score()
        <textarea
          class="code-field"
          rows={14}
          spellcheck={false}
          value={draft.metric}
          onInput={({ currentTarget }) => onDraft({ metric: currentTarget.value })}
        />
      </label>
      {ruleTypes[draft.type].scope === 'thread' ? (
        <p class="faint">It is called with the conversation: a list of messages.</p>
      ) : (
        <>
          <Paths {...props} names={Object.keys(draft.paths)} />
          <AddParameter {...props} />
        </>
      )}
    </>
  );
};

const Kind = ({ draft, onDraft }: DraftProps) => (
  <select
    aria-label="What it does"
    value={draft.type}
    onChange={({ currentTarget: { value } }) => {
      if (!isRuleType(value)) return;
      const { name, projectIds, sampling, enabled } = draft;
      onDraft({ ...usualRule(value, undefined), name, projectIds, sampling, enabled });
    }}
  >
    {Object.entries(ruleTypes).map(([name, { says }]) => (
      <option key={name} value={name}>
        {says}
      </option>
    ))}
  </select>
);

const Projects = ({
  draft,
  onDraft,
  projects,
}: DraftProps & { readonly projects: readonly Project[] }) => (
  <fieldset class="plain-set">
    <legend>Projects</legend>
    <div class="controls checks">
      {projects.map(({ projectId: id, projectName }) => (
        <label key={id} class="check">
          <input
            type="checkbox"
            checked={draft.projectIds.includes(id)}
            onChange={({ currentTarget: { checked } }) =>
              onDraft({
                projectIds: checked
                  ? [...draft.projectIds, id]
                  : draft.projectIds.filter((one) => one !== id),
              })
            }
          />{' '}
          <bdi>{projectName}</bdi>
        </label>
      ))}
    </div>
  </fieldset>
);

export const RuleFields = ({
  isNew,
  projects,
  ...props
}: DraftProps & {
  /** What a rule does is chosen once. */
  readonly isNew: boolean;
  readonly projects: readonly Project[];
}) => {
  const { draft, onDraft } = props;
  const { scope, says } = ruleTypes[draft.type];
  return (
    <>
      <p class="controls">
        <input
          class="grows"
          aria-label="Name of the rule"
          placeholder="name"
          maxLength={255}
          value={draft.name}
          onInput={({ currentTarget }) => onDraft({ name: currentTarget.value })}
        />
        {isNew ? <Kind {...props} /> : <span>{says}</span>}
        <label class="check">
          <input
            type="checkbox"
            checked={draft.enabled}
            onChange={({ currentTarget }) => onDraft({ enabled: currentTarget.checked })}
          />{' '}
          On
        </label>
        <label>
          scores{' '}
          <input
            inputMode="decimal"
            size={5}
            aria-label="Share that is scored, in per cent"
            value={draft.sampling}
            onInput={({ currentTarget }) => onDraft({ sampling: currentTarget.value })}
          />{' '}
          % of {scope}s
        </label>
      </p>
      <div class="controls" role="group" aria-label={`Only ${scope}s with`}>
        <span class="faint">of those with</span>
        <Filters
          projectId={draft.projectIds[0] ?? ''}
          filters={draft.filters}
          fields={filterFields(scope)}
          seenOf={() => []}
          onFilters={(filters) => onDraft({ filters })}
        />
      </div>
      <Projects {...props} projects={projects} />
      {isPython(draft.type) ? <MetricFields {...props} /> : <JudgeFields {...props} />}
    </>
  );
};

/** A draft that is changed bit by bit. */
export const useDraft = (before: RuleDraft) => {
  const [draft, setDraft] = useState(before);
  return {
    draft,
    onDraft: (changes: Partial<RuleDraft>) => setDraft((now) => ({ ...now, ...changes })),
  };
};
