import { area } from '#ports/api/area';
import { privateFamily } from '#ports/api/families/private';
import { savedViewOperations } from '#ports/api/saved-views';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import { Ids } from '#ports/ids';
import type { SavedView } from '#ports/model/saved-views';
import type { ListedView } from '#ports/storage/saved-views';
import { storageOf } from '#ports/storage/storage';
import { savedViewKind } from './kinds.js';

const mostBytes = 256 * 1024;
/** Views of a project, private ones of all its readers included. */
const mostViews = 1000;

const toWire = (view: ListedView) => ({
  id: view.id,
  project: view.projectId,
  type: view.type,
  name: view.name,
  shared: view.shared,
  owner: view.ownerName,
  version: view.version,
  createdAt: view.createdAt,
  updatedAt: view.updatedAt,
});
const toWhole = (view: SavedView) => ({
  ...toWire(view),
  content: JSON.parse(view.content) as Record<string, unknown>, // written by `writeContent`
});

const writeContent = (content: Readonly<Record<string, unknown>>): string => {
  const written = JSON.stringify(content);
  if (new TextEncoder().encode(written).length > mostBytes)
    throw new Failure('tooLarge', `the content of a view must be at most ${mostBytes} bytes`);
  return written;
};

export const savedViewsArea = area({
  name: 'saved-views',
  summary: 'Views that people save of a project.',
  family: privateFamily,
  table: savedViewOperations,
  kinds: [savedViewKind],
  needs: { storage: storageOf('savedViews'), clock: Clock, ids: Ids },
  handlers: ({ storage: { stores }, clock, ids }) => {
    const { savedViews } = stores;
    const requireView = async (id: string): Promise<SavedView> => {
      const found = await savedViews.find(id);
      if (found === undefined) throw new Failure('absent', `view ${id} not found`);
      return found;
    };
    /** Taking away what is not the default changes nothing. */
    const change = async (
      view: SavedView,
      userId: string,
      whose: 'everybody' | 'own',
      on: boolean,
    ): Promise<void> => {
      const user = whose === 'own' ? userId : undefined;
      if (on) await savedViews.setDefault(view, user, view.id);
      else if ((await savedViews.findDefaults(view, userId))[whose] === view.id)
        await savedViews.setDefault(view, user, undefined);
    };
    return {
      async listSavedViews({ query: { type }, project, caller: { userId } }) {
        const place = { projectId: project.id, type };
        const [views, defaults] = [
          await savedViews.list({ ...place, userId, limit: mostViews }),
          await savedViews.findDefaults(place, userId),
        ];
        return {
          views: views.map(toWire),
          projectDefault: defaults.everybody ?? null,
          ownDefault: defaults.own ?? null,
        };
      },
      getSavedView: async ({ savedView }) => toWhole(savedView),
      async createSavedView({ body, project, caller }) {
        const content = writeContent(body.content);
        if ((await savedViews.count(project.id)) >= mostViews)
          throw new Failure('conflict', `a project may have at most ${mostViews} views`);
        const id = ids.next();
        await savedViews.insert({
          id,
          projectId: project.id,
          type: body.type,
          name: body.name,
          shared: body.shared ?? false,
          ownerId: caller.userId,
          content,
          createdAt: clock.now(),
        });
        return toWhole(await requireView(id));
      },
      async updateSavedView({ body, savedView }) {
        const saved = await savedViews.update(savedView.id, body.version, {
          updatedAt: clock.now(),
          ...(body.name === undefined ? {} : { name: body.name }),
          ...(body.shared === undefined ? {} : { shared: body.shared }),
          ...(body.content === undefined ? {} : { content: writeContent(body.content) }),
        });
        const now = await requireView(savedView.id);
        if (!saved)
          throw new Failure(
            'conflict',
            `the view was changed since version ${body.version}; it has version ${now.version}`,
          );
        return toWhole(now);
      },
      async deleteSavedView({ savedView }) {
        if (!(await savedViews.remove(savedView.id)))
          throw new Failure('absent', `view ${savedView.id} not found`);
        return undefined;
      },
      async setProjectDefaultView({ body, savedView, caller }) {
        if (body.default && !savedView.shared)
          throw new Failure('invalid', 'only a shared view can be what everybody sees first');
        await change(savedView, caller.userId, 'everybody', body.default);
        return undefined;
      },
      async setOwnDefaultView({ body, savedView, caller }) {
        await change(savedView, caller.userId, 'own', body.default);
        return undefined;
      },
    };
  },
});
