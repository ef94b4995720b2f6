import type {
  RemoteArgument,
  RemoteCall,
  RemoteCallStatus,
  RemoteFunction,
  RpcStore,
} from '#ports/storage/rpc';
import { isId } from './ids.js';
import { isTrue, keyOf, orNothing, wholeOrNothing, type Connection } from './connection.js';

interface FunctionRow {
  readonly name: string;
  readonly documentation: string;
  readonly argument_names: string;
}
interface CallRow {
  readonly id: string;
  readonly experiment_id: string;
  readonly function_name: string;
  readonly built_in: unknown;
  readonly arguments: string;
  readonly user_name: string;
  readonly created_at: unknown;
  readonly status: RemoteCallStatus;
  readonly result: string | null;
  readonly error_message: string | null;
  readonly error_stack: string | null;
  readonly start_time: unknown;
  readonly end_time: unknown;
}

const toFunction = (row: FunctionRow): RemoteFunction => ({
  name: row.name,
  documentation: row.documentation,
  argumentNames: JSON.parse(row.argument_names) as string[],
}); // written by `register`
const toCall = (row: CallRow): RemoteCall => ({
  id: row.id,
  experimentId: row.experiment_id,
  functionName: row.function_name,
  builtIn: isTrue(row.built_in),
  arguments: JSON.parse(row.arguments) as RemoteArgument[], // written by `insert`
  userName: row.user_name,
  createdAt: Number(row.created_at),
  status: row.status,
  result: orNothing(row.result),
  errorMessage: orNothing(row.error_message),
  errorStackTrace: orNothing(row.error_stack),
  startTimeMs: wholeOrNothing(row.start_time),
  endTimeMs: wholeOrNothing(row.end_time),
});

const mostFunctions = 1000;
const takenAtOnce = 100;

export const rpcStore = ({ db, dialect }: Connection): RpcStore => {
  const columns = [
    'id',
    'experiment_id',
    'function_name',
    'built_in',
    'arguments',
    'user_name',
    'created_at',
    'status',
    'result',
    'error_message',
    'error_stack',
    'start_time',
    'end_time',
  ] as const;
  const waiting = (experimentId: string) =>
    db('rpc_calls').where({ experiment_id: experimentId, status: 'waiting' });

  return {
    async register(experimentId, { name, documentation, argumentNames }) {
      await db('rpc_functions')
        .insert({
          experiment_id: experimentId,
          name_key: keyOf(name),
          name,
          documentation,
          argument_names: JSON.stringify(argumentNames),
        })
        .onConflict(['experiment_id', 'name_key'])
        .merge(['documentation', 'argument_names']);
    },
    async findFunction(experimentId, name) {
      const row = await db('rpc_functions')
        .select('name', 'documentation', 'argument_names')
        .where({ experiment_id: experimentId, name_key: keyOf(name) })
        .first<FunctionRow | undefined>();
      return row === undefined ? undefined : toFunction(row);
    },
    async listFunctions(experimentId) {
      const rows = (await db('rpc_functions')
        .select('name', 'documentation', 'argument_names')
        .where({ experiment_id: experimentId })
        .orderBy('name_key')
        .limit(mostFunctions)) as readonly FunctionRow[]; // the columns named above
      return rows.map(toFunction).sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    async insert(call) {
      await db('rpc_calls').insert({
        id: call.id,
        experiment_id: call.experimentId,
        function_name: call.functionName,
        built_in: call.builtIn,
        arguments: JSON.stringify(call.arguments),
        user_name: call.userName,
        created_at: call.createdAt,
        status: 'waiting',
      });
    },
    async countWaiting(experimentId) {
      const [row] = await waiting(experimentId).count({ n: '*' });
      return Number(row?.n ?? 0);
    },
    async take(experimentId) {
      const rows = (await waiting(experimentId)
        .select(...columns)
        .orderBy(['created_at', 'id'])
        .limit(takenAtOnce)) as readonly CallRow[]; // the columns named above
      const taken: RemoteCall[] = [];
      for (const row of rows) {
        // Whoever changes the row first has the call; no lock is needed that another node of a cluster would not see.
        const changed = await waiting(experimentId)
          .where({ id: row.id })
          .update({ status: 'taken', taken_at: db.raw(dialect.nowMs) });
        if (changed > 0) taken.push(toCall({ ...row, status: 'taken' }));
      }
      return taken;
    },
    async finish(
      experimentId,
      callId,
      { result, errorMessage, errorStackTrace, startTimeMs, endTimeMs },
    ) {
      if (!isId(callId)) return false;
      return (
        (await db('rpc_calls')
          .where({ experiment_id: experimentId, id: callId })
          .whereNot({ status: 'done' })
          .update({
            status: 'done',
            result: result ?? null,
            error_message: errorMessage ?? null,
            error_stack: errorStackTrace ?? null,
            start_time: startTimeMs ?? null,
            end_time: endTimeMs ?? null,
          })) > 0
      );
    },
    async list(experimentId, limit) {
      const rows = (await db('rpc_calls')
        .select(...columns)
        .where({ experiment_id: experimentId })
        .orderBy([
          { column: 'created_at', order: 'desc' },
          { column: 'id', order: 'desc' },
        ])
        .limit(limit)) as readonly CallRow[]; // as above
      return rows.map(toCall);
    },
  };
};
