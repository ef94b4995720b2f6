// Traces, spans, threads and what is said about them, as the gate finds them: by the header's workspace and their own ids.
import {
  defineKind,
  type Asking,
  type KindDefinition,
  type Name,
} from '#ports/api/kind-definition';
import type { Kind } from '#ports/api/kind';
import { Failure } from '#ports/failure';
import {
  span,
  spanComment,
  thread,
  threadComment,
  trace,
  traceComment,
  type CommentRef,
  type TracedKind,
  type TracedRef,
} from '#ports/model/traces';
import { storageOf, type Stores } from '#ports/storage/storage';
import { PlaceFinder } from '#ports/storage/workspaces';
import { checkReach, placeIn, workspaceOfHeader } from '../private-wire/targets.js';
import { isUuid } from '../uuid.js';

type Finding = Pick<Stores, 'projects' | 'threads' | 'traces' | 'workspaces'>;

/** Where things of these ids stand in a workspace; of several with one id, the one that was changed last first. */
const placesOf = (
  stores: Finding,
  kind: TracedKind,
  workspaceId: string,
  ids: readonly string[],
  projectId: string | undefined,
) =>
  kind === 'thread'
    ? stores.threads.findPlaces(workspaceId, ids)
    : stores.traces.findPlaces(kind, workspaceId, ids, projectId);

const findRef = async (
  { stores, places }: { readonly stores: Finding; readonly places: PlaceFinder },
  kind: TracedKind,
  { text }: Name,
  asking: Asking,
): Promise<TracedRef | undefined> => {
  const workspace = await workspaceOfHeader({ stores, places }, asking);
  const { caller } = asking;
  const [found] = isUuid(text)
    ? await placesOf(stores, kind, workspace.id, [text.toLowerCase()], caller.scope?.projectId)
    : [];
  const project = found && (await stores.projects.findById(found.projectId));
  checkReach(caller, workspace, project);
  return found && project && { id: found.id, project };
};

const absent = (what: string) => (text: string) =>
  new Failure('absent', `${what} ${text.slice(0, 80)} not found`);

const tracedKind = (kind: Kind<string, TracedRef>, of: TracedKind): KindDefinition =>
  defineKind(kind, {
    needs: {
      storage: storageOf('projects', 'threads', 'traces', 'workspaces'),
      places: PlaceFinder,
    },
    rules: ({ storage: { stores }, places }) => ({
      find: (name, asking) => findRef({ stores, places }, of, name, asking),
      placeOf: ({ project }) => placeIn(project.workspaceId, project),
      absent: absent(of),
      forProjectKeys: true,
    }),
  });

const commentKind = (kind: Kind<string, CommentRef>, of: TracedKind): KindDefinition =>
  defineKind(kind, {
    needs: { storage: storageOf('feedback', 'projects', 'workspaces'), places: PlaceFinder },
    rules: ({ storage: { stores }, places }) => ({
      async find({ text }, asking) {
        const workspace = await workspaceOfHeader({ stores, places }, asking);
        const comment = await stores.feedback.findComment(text.toLowerCase());
        const found =
          comment?.kind === of ? await stores.projects.findById(comment.projectId) : undefined;
        const project = found?.workspaceId === workspace.id ? found : undefined;
        checkReach(asking.caller, workspace, project);
        return comment && project && { id: comment.id, project, comment };
      },
      placeOf: ({ project }) => placeIn(project.workspaceId, project),
      absent: absent('comment'),
      forProjectKeys: true,
    }),
  });

export const traceKinds = [
  tracedKind(trace, 'trace'),
  tracedKind(span, 'span'),
  tracedKind(thread, 'thread'),
  commentKind(traceComment, 'trace'),
  commentKind(spanComment, 'span'),
  commentKind(threadComment, 'thread'),
] as const;
