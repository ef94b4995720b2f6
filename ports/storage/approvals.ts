import type { ModelStatus, RequestState, StatusRequest } from '../model/registry.js';
import { once, reads, type Methods } from './methods.js';

export type NewRequest = Omit<
  StatusRequest,
  | 'modelName'
  | 'version'
  | 'state'
  | 'userName'
  | 'approvedBy'
  | 'decidedBy'
  | 'decidedAt'
  | 'decision'
>;

export interface RequestListing {
  readonly workspaceId: string;
  readonly modelId?: string;
  readonly state?: RequestState;
  /** Counted from 0. */
  readonly offset: number;
  readonly limit: number;
}

export interface Decision {
  readonly state: RequestState;
  readonly approvedBy?: readonly string[];
  readonly decidedBy?: string;
  readonly decidedAt?: number;
  readonly decision?: string | undefined;
}

/** Statuses that versions may have, and requests to change to one. Requests about deleted versions and models are not found. */
export interface ApprovalStore {
  /** In the order of choice; empty when no administrator has set any. */
  listStatuses(): Promise<readonly ModelStatus[]>;
  replaceStatuses(statuses: readonly ModelStatus[]): Promise<void>;
  insertRequest(request: NewRequest): Promise<void>;
  findRequest(id: string): Promise<StatusRequest | undefined>;
  /** Pending ones about these versions, in the order they were filed. */
  listPending(versionIds: readonly string[]): Promise<readonly StatusRequest[]>;
  /** Newest first, with how many there are in all, at most `mostListed`; older ones than these are found by model or state. */
  listRequests(
    listing: RequestListing,
  ): Promise<{ readonly total: number; readonly requests: readonly StatusRequest[] }>;
  /** Changes a request that is still pending; of several who decide it at once one does. Says whether it was this one. */
  decide(id: string, decision: Decision): Promise<boolean>;
  /** Lets requests expire that are pending since before this time, some at a time. Answers how many. */
  expire(before: number, at: number): Promise<number>;
}

export const approvalMethods: Methods<ApprovalStore> = {
  listStatuses: reads,
  replaceStatuses: once,
  insertRequest: once,
  findRequest: reads,
  listPending: reads,
  listRequests: reads,
  decide: once,
  expire: once,
};
