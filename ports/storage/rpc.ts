import { once, reads, sets, type Methods } from './methods.js';

/** A function of a running script that may be called from outside. */
export interface RemoteFunction {
  readonly name: string;
  readonly documentation: string;
  readonly argumentNames: readonly string[];
}

export interface RemoteArgument {
  readonly name: string;
  readonly value: unknown;
}

/** `waiting` until the run takes it, `taken` until its result comes. */
export type RemoteCallStatus = 'waiting' | 'taken' | 'done';

export interface NewRemoteCall {
  readonly id: string;
  readonly experimentId: string;
  readonly functionName: string;
  /** A function of the client itself, such as `stop`, not of the script. */
  readonly builtIn: boolean;
  readonly arguments: readonly RemoteArgument[];
  readonly userName: string;
  readonly createdAt: number;
}

export interface RemoteResult {
  readonly result: string | undefined;
  readonly errorMessage: string | undefined;
  readonly errorStackTrace: string | undefined;
  readonly startTimeMs: number | undefined;
  readonly endTimeMs: number | undefined;
}

export interface RemoteCall extends NewRemoteCall, RemoteResult {
  readonly status: RemoteCallStatus;
}

export interface RpcStore {
  /** Registering a function again replaces what was said of it. */
  register(experimentId: string, fn: RemoteFunction): Promise<void>;
  findFunction(experimentId: string, name: string): Promise<RemoteFunction | undefined>;
  /** In the order of their names. */
  listFunctions(experimentId: string): Promise<readonly RemoteFunction[]>;
  insert(call: NewRemoteCall): Promise<void>;
  countWaiting(experimentId: string): Promise<number>;
  /** Calls that wait, oldest first; each is given to one taker only, whoever else asks at that moment. */
  take(experimentId: string): Promise<readonly RemoteCall[]>;
  /** Stores the result of a call that has none yet. Says whether there was such a call. */
  finish(experimentId: string, callId: string, result: RemoteResult): Promise<boolean>;
  /** The newest first, at most `limit`. */
  list(experimentId: string, limit: number): Promise<readonly RemoteCall[]>;
}

export const rpcMethods: Methods<RpcStore> = {
  register: sets,
  findFunction: reads,
  listFunctions: reads,
  insert: once,
  countWaiting: reads,
  take: once,
  finish: once,
  list: reads,
};
