// Columns as pages name them. Pure.
import { Failure } from '#ports/failure';
import { runFacts, type LoggedKind, type RunColumn, type RunFact } from '#ports/storage/run-table';

export interface AskedColumn {
  readonly kind: LoggedKind | 'metadata';
  readonly name: string;
  readonly value?: 'last' | 'best' | 'min' | 'max' | undefined;
  readonly direction?: 'minimize' | 'maximize' | undefined;
}

/** What the query language calls the facts of a run, where that is another word. */
const wireNames: Readonly<Record<string, RunFact>> = {
  experimentKey: 'key',
  user_name: 'user',
  start_server_timestamp: 'start',
  end_server_timestamp: 'end',
  last_message_time: 'lastSeen',
  file_name: 'fileName',
  file_path: 'filePath',
};

const isFact = (name: string): name is RunFact => (runFacts as readonly string[]).includes(name);

/** Throws `invalid` for metadata that no run has, and for a best value without a direction. */
export const readColumn = ({ kind, name, value = 'last', direction }: AskedColumn): RunColumn => {
  if (kind === 'metadata') {
    const fact = Object.hasOwn(wireNames, name) ? wireNames[name] : name;
    if (fact === undefined || !isFact(fact))
      throw new Failure(
        'invalid',
        `metadata ${JSON.stringify(name.slice(0, 100))} is unknown; there is ${runFacts.join(', ')}`,
      );
    return { kind, name: fact };
  }
  if (kind === 'other' && name === 'Name') return { kind: 'metadata', name: 'name' };
  if (value !== 'best') return { kind, name, value };
  if (direction === undefined)
    throw new Failure(
      'invalid',
      `the best value of ${name.slice(0, 100)} needs a direction: minimize or maximize`,
    );
  return { kind, name, value: direction === 'minimize' ? 'min' : 'max' };
};
