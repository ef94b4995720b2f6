// The bar of filters: each that is set as a word of its own, and a form for one more.
import { useState } from 'preact/hooks';
import {
  faultOf,
  operatorsOf,
  operatorWords,
  showFilter,
  takesKey,
  takesValue,
  traceFields,
  withFilter,
  writeFilters,
  type TraceFilter,
} from '../../pure/trace-filters.js';
import { useLoaded } from '../loading.js';
import { Dialog } from '../shell/dialog.js';
import { setQuery } from '../state.js';
import { tracesServer } from '../traces-server.js';

export const setFilters = (filters: readonly TraceFilter[]): void =>
  setQuery({ filters: writeFilters(filters) }, true);

const empty: TraceFilter = { field: 'name', key: '', operator: 'contains', value: '' };

/** The operator of a filter once its field is another. */
const refielded = (filter: TraceFilter, field: string): TraceFilter => {
  const compared = traceFields[field];
  const operators = compared === undefined ? [] : operatorsOf[compared];
  const operator = operators.includes(filter.operator) ? filter.operator : (operators[0] ?? '=');
  return { ...filter, field, key: '', operator };
};

const knownWords: Readonly<Record<string, readonly string[]>> = {
  source: ['sdk', 'experiment', 'playground', 'optimization'],
  visibility_mode: ['default', 'hidden'],
  guardrails: ['passed', 'failed'],
};

/** Names that the key of a field may have, and what a value may be. */
const Offers = ({
  projectId,
  filter,
  seen,
}: {
  projectId: string;
  filter: TraceFilter;
  seen: readonly string[];
}) => {
  const scores = filter.field.endsWith('scores');
  const { value } = useLoaded(
    async (signal) =>
      scores
        ? (await tracesServer.scoreNames({ query: { project_id: projectId } }, signal)).scores
        : [],
    [projectId, scores],
  );
  const values = knownWords[filter.field] ?? seen;
  return (
    <>
      <datalist id="filter-keys">
        {value?.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <datalist id="filter-values">
        {values.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </>
  );
};

const FilterForm = ({
  projectId,
  fields,
  before,
  seenOf,
  onSet,
  onClose,
}: {
  projectId: string;
  fields: readonly string[];
  before: TraceFilter;
  /** Values of a field that rows on the screen have. */
  seenOf: (field: string) => readonly string[];
  onSet: (filter: TraceFilter) => void;
  onClose: () => void;
}) => {
  const [filter, setFilter] = useState(before);
  const [fault, setFault] = useState('');
  const change = (changes: Partial<TraceFilter>) => setFilter({ ...filter, ...changes });
  const compared = traceFields[filter.field];
  const send = () => {
    const wrong = faultOf(filter);
    setFault(wrong ?? '');
    if (wrong === undefined) onSet(filter);
  };
  return (
    <Dialog label="Filter" onClose={onClose}>
      <h2>Filter</h2>
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <label>
          Field
          <select
            value={filter.field}
            onChange={({ currentTarget }) => setFilter(refielded(filter, currentTarget.value))}
          >
            {fields.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        {takesKey(filter.field) ? (
          <label>
            {compared === 'scores'
              ? 'Name of the score'
              : 'Member, such as user.id or list[0].name'}
            <input
              list="filter-keys"
              value={filter.key}
              onInput={({ currentTarget }) => change({ key: currentTarget.value })}
            />
          </label>
        ) : null}
        <label>
          Operator
          <select
            value={filter.operator}
            onChange={({ currentTarget }) => change({ operator: currentTarget.value })}
          >
            {(compared === undefined ? [] : operatorsOf[compared]).map((name) => (
              <option key={name} value={name}>
                {operatorWords[name] ?? name}
              </option>
            ))}
          </select>
        </label>
        {takesValue(filter.operator) ? (
          <label>
            {filter.field === 'duration' || filter.field === 'ttft' ? 'Value, in ms' : 'Value'}
            <input
              list="filter-values"
              dir="auto"
              value={filter.value}
              onInput={({ currentTarget }) => change({ value: currentTarget.value })}
            />
          </label>
        ) : null}
        <Offers projectId={projectId} filter={filter} seen={seenOf(filter.field)} />
        {fault === '' ? null : (
          <p class="fault" role="alert">
            {fault}
          </p>
        )}
        <p class="controls acts">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="main">
            Apply
          </button>
        </p>
      </form>
    </Dialog>
  );
};

export const Filters = ({
  projectId,
  filters,
  seenOf,
  fields = Object.keys(traceFields),
  onFilters = setFilters,
}: {
  projectId: string;
  filters: readonly TraceFilter[];
  seenOf: (field: string) => readonly string[];
  /** What is offered; every field of traces where nothing is said. */
  fields?: readonly string[];
  /** Where changed filters go; to the address where nothing is said. */
  onFilters?: (filters: readonly TraceFilter[]) => void;
}) => {
  const [asked, setAsked] = useState<TraceFilter>();
  const set = (filter: TraceFilter) => {
    const rest = filters.filter((one) => one !== asked);
    setAsked(undefined);
    onFilters(withFilter(rest, filter));
  };
  return (
    <>
      <button
        type="button"
        onClick={() =>
          setAsked(refielded(empty, fields.includes('name') ? 'name' : (fields[0] ?? 'name')))
        }
      >
        + Filter
      </button>
      {filters.map((one) => (
        <span class="tag" key={writeFilters([one])}>
          <button
            type="button"
            class="says"
            onClick={() => setAsked(one)}
            title="Change the filter"
          >
            {showFilter(one)}
          </button>
          <button
            type="button"
            aria-label={`Remove the filter ${showFilter(one)}`}
            onClick={() => onFilters(filters.filter((other) => other !== one))}
          >
            ×
          </button>
        </span>
      ))}
      {asked === undefined ? null : (
        <FilterForm
          projectId={projectId}
          fields={fields}
          before={asked}
          seenOf={seenOf}
          onSet={set}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  );
};
