import { area } from '#ports/api/area';
import { privateFamily } from '#ports/api/families/private';
import { commentOperations } from '#ports/api/comments';
import { Clock } from '#ports/clock';
import type { DomainEvents } from '#ports/events';
import { Failure } from '#ports/failure';
import { Ids } from '#ports/ids';
import type { Comment } from '#ports/model/comments';
import type { Caller } from '#ports/model/identity';
import type { CommentListing } from '#ports/storage/comments';
import { storageOf, type Stores } from '#ports/storage/storage';
import { experimentOf } from '../experiments/offers.js';
import { commentKind } from './kinds.js';
import { mentionsIn } from './mentions.js';

const mostBytes = 16 * 1024;
const mostComments = 10_000;
const [usualPage, mostPage] = [50, 200];

const readText = (text: string): string => {
  if (text.trim() === '') throw new Failure('invalid', 'text must not be empty');
  if (new TextEncoder().encode(text).length > mostBytes)
    throw new Failure('invalid', `text must be at most ${mostBytes} bytes`);
  return text;
};

interface Steps {
  readonly firstStep?: number | undefined;
  readonly lastStep?: number | undefined;
}
const readSteps = ({ firstStep, lastStep }: Steps): Steps => {
  if ((firstStep === undefined) !== (lastStep === undefined))
    throw new Failure('invalid', 'firstStep and lastStep go together');
  if (firstStep !== undefined && lastStep !== undefined && lastStep < firstStep)
    throw new Failure(
      'invalid',
      `lastStep must be at least firstStep, and ${lastStep} is below ${firstStep}`,
    );
  return { firstStep, lastStep };
};

/** Where a comment lies, for who is named in it. */
interface Place {
  readonly workspaceId: string;
  readonly workspaceName: string;
  readonly experimentKey: string | null;
  readonly registryModelItemId: string | null;
}

const placeOf = async (
  stores: Pick<Stores, 'experiments' | 'registry'>,
  about: Comment,
): Promise<Place | undefined> => {
  if (about.experimentId !== undefined) {
    const run = await experimentOf(stores, about.experimentId);
    return run === undefined
      ? undefined
      : {
          workspaceId: run.workspaceId,
          workspaceName: run.workspaceName,
          experimentKey: run.key,
          registryModelItemId: null,
        };
  }
  const model = await stores.registry.findModel(about.modelId ?? '');
  return model === undefined
    ? undefined
    : {
        workspaceId: model.workspaceId,
        workspaceName: model.workspaceName,
        experimentKey: null,
        registryModelItemId: about.versionId ?? null,
      };
};

const toWire = (one: Comment, members: ReadonlySet<string>, { userId }: Caller) => ({
  id: one.id,
  author: one.authorName,
  own: one.authorId === userId,
  text: one.text,
  firstStep: one.firstStep ?? null,
  lastStep: one.lastStep ?? null,
  mentions: mentionsIn(one.text, members),
  createdAt: one.createdAt,
  editedAt: one.editedAt ?? null,
});

/** Ids of the members of a workspace, by their names. */
const membersOf = async (
  { members }: Pick<Stores, 'members'>,
  workspaceId: string,
): Promise<ReadonlyMap<string, string>> =>
  new Map(
    (await members.listMembers(workspaceId)).map(({ userName, userId }) => [userName, userId]),
  );

const isAbout = (one: Comment | undefined, about: CommentListing['about']): boolean =>
  one !== undefined &&
  ('experimentId' in about
    ? one.experimentId === about.experimentId
    : one.modelId === about.modelId && one.versionId === about.versionId);

export const commentsArea = area({
  name: 'comments',
  summary: 'What people say about runs and versions of models.',
  family: privateFamily,
  table: commentOperations,
  kinds: [commentKind],
  needs: {
    storage: storageOf('comments', 'events', 'experiments', 'members', 'registry'),
    clock: Clock,
    ids: Ids,
  },
  handlers: ({ storage, clock, ids }) => {
    const { comments } = storage.stores;

    const namesOf = async (workspaceId: string): Promise<ReadonlySet<string>> =>
      new Set((await membersOf(storage.stores, workspaceId)).keys());

    /** Tells who is named now and was not before, in the transaction that stores the words. */
    const tellMentioned = async (
      stores: Pick<Stores, 'events' | 'members'>,
      place: Place,
      { id, text, authorId, authorName }: Comment,
      before: string,
    ): Promise<void> => {
      const known = await membersOf(stores, place.workspaceId);
      const names = new Set(known.keys());
      const old = mentionsIn(before, names);
      const fresh = mentionsIn(text, names).filter(
        (name) => !old.includes(name) && known.get(name) !== authorId,
      );
      if (fresh.length === 0) return;
      const detail: DomainEvents['comments.mentioned'] = {
        commentId: id,
        ...place,
        userName: authorName,
        mentioned: fresh,
        mentionedIds: fresh.map((name) => known.get(name) ?? ''),
        text,
      };
      await stores.events.append({
        id: ids.next(),
        subject: `comments:${place.workspaceId}`,
        name: 'comments.mentioned',
        at: clock.now(),
        detail,
      });
    };

    const add = async (
      given: Pick<Comment, 'experimentId' | 'versionId' | 'modelId'> & Steps & { text: string },
      about: CommentListing['about'],
      place: Place,
      caller: Caller,
    ) => {
      if ((await comments.count(about)) >= mostComments)
        throw new Failure('conflict', `there may be at most ${mostComments} comments on one thing`);
      const made: Comment = {
        firstStep: undefined,
        lastStep: undefined,
        ...given,
        id: ids.next(),
        text: readText(given.text),
        authorId: caller.userId,
        authorName: caller.userName,
        createdAt: clock.now(),
        editedAt: undefined,
      };
      await storage.transaction(async (stores) => {
        await stores.comments.insert(made);
        await tellMentioned(stores, place, made, '');
      });
      return toWire(made, await namesOf(place.workspaceId), caller);
    };
    const listPage = async (
      about: CommentListing['about'],
      { after, limit = usualPage }: { after?: string | undefined; limit?: number | undefined },
      workspaceId: string,
      caller: Caller,
    ) => {
      if (limit < 1 || limit > mostPage)
        throw new Failure('invalid', `limit must be from 1 to ${mostPage}`);
      const from = after === undefined ? undefined : await comments.find(after);
      if (after !== undefined && !isAbout(from, about))
        throw new Failure('invalid', 'after must be the id of a comment on the same thing');
      const some = await comments.list({
        about,
        limit: limit + 1,
        ...(from === undefined ? {} : { afterId: from.id }),
      });
      const page = some.slice(0, limit);
      const names = await namesOf(workspaceId);
      return {
        comments: page.map((one) => toWire(one, names, caller)),
        next: some.length > limit ? (page.at(-1)?.id ?? null) : null,
      };
    };

    return {
      listRunComments: ({ query, experiment, caller }) =>
        listPage({ experimentId: experiment.id }, query, experiment.workspaceId, caller),
      listVersionComments: ({ query, modelVersion: { id, modelId, model }, caller }) =>
        listPage({ modelId, versionId: id }, query, model.workspaceId, caller),
      commentOnRun: async ({ body, experiment, caller }) =>
        add(
          {
            experimentId: experiment.id,
            versionId: undefined,
            modelId: undefined,
            ...readSteps(body),
            text: body.text,
          },
          { experimentId: experiment.id },
          {
            workspaceId: experiment.workspaceId,
            workspaceName: experiment.workspaceName,
            experimentKey: experiment.key,
            registryModelItemId: null,
          },
          caller,
        ),
      commentOnVersion: async ({ body, modelVersion: { id, modelId, model }, caller }) =>
        add(
          { experimentId: undefined, versionId: id, modelId, text: body.text },
          { modelId, versionId: id },
          {
            workspaceId: model.workspaceId,
            workspaceName: model.workspaceName,
            experimentKey: null,
            registryModelItemId: id,
          },
          caller,
        ),
      async editComment({ body, comment, caller }) {
        if (comment.authorId !== caller.userId)
          throw new Failure('forbidden', 'a comment is changed by its author alone');
        const place = await placeOf(storage.stores, comment);
        const edited = { ...comment, text: readText(body.text), editedAt: clock.now() };
        await storage.transaction(async (stores) => {
          if (
            place === undefined ||
            !(await stores.comments.edit(comment.id, edited.text, edited.editedAt))
          )
            throw new Failure('absent', `comment ${comment.id} not found`);
          await tellMentioned(stores, place, edited, comment.text);
        });
        return toWire(edited, await namesOf(place?.workspaceId ?? ''), caller);
      },
      async deleteComment({ comment }) {
        if (!(await comments.remove(comment.id)))
          throw new Failure('absent', `comment ${comment.id} not found`);
        return undefined;
      },
    };
  },
});
