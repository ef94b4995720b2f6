import { area } from '#ports/api/area';
import type { Call } from '#ports/api/operation';
import { privateFamily } from '#ports/api/families/private';
import { libraryPromptOperations } from '#ports/api/library-prompts';
import { Clock } from '#ports/clock';
import { Failure, isFailure } from '#ports/failure';
import { Ids } from '#ports/ids';
import type { AlertEvent } from '#ports/model/alerts';
import type { Caller } from '#ports/model/identity';
import type {
  LibraryPrompt,
  LibraryPromptVersion,
  PromptStructure,
  PromptType,
} from '#ports/model/library-prompts';
import type { ProjectScope, ProjectTarget } from '#ports/model/projects';
import { storageOf, type Stores } from '#ports/storage/storage';
import { followPrompt } from '../agent-configs/offers.js';
import { alertListeners, type Listeners } from '../alerts/offers.js';
import { alertSettings } from '../alerts/settings.js';
import { readTags } from '../datasets/rules.js';
import { madeBy, touchedBy } from '../private-wire/authorship.js';
import { readFilters } from '../private-wire/filters.js';
import { given } from '../private-wire/given.js';
import { readId, readIds, requireSome } from '../private-wire/ids.js';
import { readPage, showPage } from '../private-wire/pages.js';
import { fallenBack, findNamed, reachedIds } from '../private-wire/records.js';
import { readSorting } from '../private-wire/sorting.js';
import { isOfProject, requireTarget } from '../private-wire/targets.js';
import { libraryPromptKind, libraryPromptVersionKind } from './kinds.js';
import {
  commitOf,
  promptFields,
  promptOrders,
  readNumber,
  showPrompt,
  showPromptVersion,
  versionFields,
  versionOrders,
} from './rules.js';

const absentVersion = () => new Failure('absent', 'Prompt version not found');
const absentPrompt = () => new Failure('absent', 'Prompt not found');
const isBlank = (text: string | undefined): boolean => text === undefined || text.trim() === '';

interface SentVersion {
  readonly id?: string | undefined;
  readonly commit?: string | undefined;
  readonly template: string;
  readonly metadata?: unknown;
  readonly type?: PromptType | undefined;
  readonly change_description?: string | undefined;
  readonly tags?: readonly string[] | undefined;
}
interface OfProject {
  readonly project_id?: string | undefined;
  readonly project_name?: string | undefined;
}

export const promptLibraryArea = area({
  name: 'prompt-library',
  summary: 'Prompts of LLM observability, with versions and the environments that they are for.',
  family: privateFamily,
  table: libraryPromptOperations,
  kinds: [libraryPromptKind, libraryPromptVersionKind],
  needs: {
    storage: storageOf(
      'agentConfigs',
      'alertFirings',
      'alerts',
      'environments',
      'libraryPrompts',
      'projects',
      'workspaces',
    ),
    clock: Clock,
    ids: Ids,
    alertSettings: alertSettings.port,
  },
  handlers: ({ storage, clock, ids, alertSettings: settings }) => {
    const { alerts, libraryPrompts: prompts, environments } = storage.stores;
    type Inside = Pick<Stores, 'alertFirings' | 'libraryPrompts'>;
    const listenersOf = alertListeners({ alerts, clock, ids, settings });

    /** What alerts are to tell of a prompt that is made. */
    const tellMade = (
      listeners: Listeners,
      prompt: LibraryPrompt,
      { userName }: Caller,
    ): readonly AlertEvent[] =>
      listeners.eventsOf({
        ...{ eventType: 'prompt:created', userName, together: false },
        happened: [{ projectId: prompt.projectId, record: showPrompt(prompt) }],
      });

    /** Removes prompts, and notes for alerts what they were. */
    const removePrompts = async (
      workspaceId: string,
      promptIds: readonly string[],
      { userName }: Caller,
    ): Promise<void> => {
      const listeners = await listenersOf(workspaceId);
      if (!listeners.waits('prompt:deleted')) return prompts.remove(workspaceId, promptIds);
      const found = await prompts.findMany(workspaceId, promptIds);
      const newest = await prompts.findNewest(
        workspaceId,
        found.map(({ id }) => id),
      );
      const events = listeners.eventsOf({
        ...{ eventType: 'prompt:deleted', userName, together: true },
        happened: found.map((prompt) => {
          const latest = newest.get(prompt.id);
          return {
            projectId: prompt.projectId,
            record: {
              ...showPrompt(prompt),
              latest_version: latest && showPromptVersion(latest, prompt),
            },
          };
        }),
      });
      await storage.transaction(async (stores) => {
        await stores.libraryPrompts.remove(workspaceId, promptIds);
        await stores.alertFirings.record(events);
      });
    };

    const projectOf = async (
      body: OfProject,
      target: ProjectTarget,
      caller: Caller,
    ): Promise<string | undefined> =>
      isOfProject(body, caller)
        ? (await requireTarget(storage, { clock, ids }, target, caller)).id
        : undefined;

    const readVersion = (sent: SentVersion) => ({
      ...sent,
      id: sent.id === undefined ? ids.next() : readId(sent.id, 'prompt version'),
      tags: sent.tags && readTags(sent.tags),
    });

    const addVersion = async (
      stores: Pick<Stores, 'libraryPrompts'>,
      { workspaceId, id: promptId }: Pick<LibraryPrompt, 'workspaceId' | 'id'>,
      sent: SentVersion & { readonly id: string },
      caller: Caller,
    ): Promise<LibraryPromptVersion> => {
      const { lastUpdatedAt, lastUpdatedBy } = touchedBy(clock, caller);
      const made = await stores.libraryPrompts.addVersion({
        workspaceId,
        promptId,
        id: sent.id,
        commit: sent.commit ?? commitOf(sent.id),
        template: sent.template,
        metadata: sent.metadata === undefined ? undefined : JSON.stringify(sent.metadata),
        type: sent.type ?? 'mustache',
        changeDescription: sent.change_description,
        tags: sent.tags,
        createdAt: lastUpdatedAt,
        createdBy: lastUpdatedBy,
      });
      if (made === undefined) throw absentPrompt();
      return made;
    };

    /** The same, and notes it for alerts. */
    const addTold = async (
      inside: Inside,
      listeners: Listeners,
      prompt: LibraryPrompt,
      sent: SentVersion & { readonly id: string },
      caller: Caller,
    ): Promise<LibraryPromptVersion> => {
      const version = await addVersion(inside, prompt, sent, caller);
      const events = listeners.eventsOf({
        ...{ eventType: 'prompt:committed', userName: caller.userName, together: false },
        happened: [{ projectId: prompt.projectId, record: showPromptVersion(version, prompt) }],
      });
      if (events.length > 0) await inside.alertFirings.record(events);
      return version;
    };
    /** In a transaction of its own where there may be something to note. */
    const addAlone = async (
      prompt: LibraryPrompt,
      sent: SentVersion & { readonly id: string },
      caller: Caller,
    ): Promise<LibraryPromptVersion> => {
      const listeners = await listenersOf(prompt.workspaceId);
      return listeners.waits('prompt:committed')
        ? storage.transaction((stores) => addTold(stores, listeners, prompt, sent, caller))
        : addVersion(storage.stores, prompt, sent, caller);
    };

    const newPrompt = (
      made: Pick<LibraryPrompt, 'workspaceId' | 'id' | 'projectId' | 'name'> &
        Partial<Pick<LibraryPrompt, 'description' | 'tags'>>,
      structure: PromptStructure | undefined,
      caller: Caller,
    ) => ({
      description: undefined,
      tags: undefined,
      ...made,
      structure: structure ?? 'text',
      ...madeBy(clock, caller),
    });

    /** The prompt of a name in a project or of the workspace, made where there is none. */
    const requirePrompt = async (
      wanted: Pick<LibraryPrompt, 'workspaceId' | 'projectId' | 'name'>,
      structure: PromptStructure | undefined,
      caller: Caller,
    ): Promise<LibraryPrompt> => {
      const { workspaceId, projectId, name } = wanted;
      const find = () => prompts.findByName(workspaceId, projectId, name);
      const found = await find();
      if (found !== undefined) return found;
      const made = newPrompt({ ...wanted, id: ids.next() }, structure, caller);
      try {
        const stored = { ...made, versionCount: 0 };
        const events = tellMade(await listenersOf(workspaceId), stored, caller);
        if (events.length === 0) await prompts.insert(made);
        else
          await storage.transaction(async (stores) => {
            await stores.libraryPrompts.insert(made);
            await stores.alertFirings.record(events);
          });
        return stored;
      } catch (refusal) {
        // Another request made it a moment ago.
        const other = isFailure(refusal) && refusal.kind === 'conflict' ? await find() : undefined;
        if (other === undefined) throw refusal;
        return other;
      }
    };

    const showWithVersions = async (prompt: LibraryPrompt, requested?: LibraryPromptVersion) => {
      const newest = await prompts.findVersion(prompt.workspaceId, prompt.id, {});
      return {
        ...showPrompt(prompt),
        latest_version: newest && showPromptVersion(newest, prompt),
        requested_version: requested && showPromptVersion(requested, prompt),
      };
    };
    /** The prompts of versions, by their ids; only those that a credential reaches. */
    const promptsOf = async (
      { workspace, project }: ProjectScope,
      versions: readonly LibraryPromptVersion[],
    ) =>
      new Map(
        (await prompts.findMany(workspace.id, [...new Set(versions.map((one) => one.promptId))]))
          .filter(({ projectId }) => project === undefined || projectId === project.id)
          .map((one) => [one.id, one]),
      );

    const listLibraryPrompts = async ({
      query,
      projectScope: { workspace, project },
    }: Pick<Call<typeof libraryPromptOperations.listLibraryPrompts>, 'query' | 'projectScope'>) => {
      const page = readPage(query);
      const { total, content } = await prompts.list({
        workspaceId: workspace.id,
        ...given({ projectId: project?.id, name: query.name }),
        filters: readFilters(query.filters, promptFields),
        orders: readSorting(query.sorting, promptOrders),
        offset: (page.page - 1) * page.size,
        limit: page.size,
      });
      return showPage(page, { total, content: content.map(showPrompt) }, promptOrders);
    };

    return {
      async createLibraryPrompt({ body, projectTarget, caller }) {
        const workspaceId = projectTarget.workspace.id;
        const id = body.id === undefined ? ids.next() : readId(body.id, 'prompt');
        const projectId = await projectOf(body, projectTarget, caller);
        const prompt = newPrompt(
          {
            workspaceId,
            id,
            projectId,
            name: body.name,
            description: body.description,
            tags: body.tags && readTags(body.tags),
          },
          body.template_structure,
          caller,
        );
        const { template, metadata, type, change_description } = body;
        const listeners = await listenersOf(workspaceId);
        const stored = { ...prompt, versionCount: 0 };
        const created = tellMade(listeners, stored, caller);
        await storage.transaction(async (stores) => {
          await stores.libraryPrompts.insert(prompt);
          if (created.length > 0) await stores.alertFirings.record(created);
          if (template !== undefined && template !== '')
            await addTold(
              stores,
              listeners,
              stored,
              { id: ids.next(), template, metadata, type, change_description },
              caller,
            );
        });
        return { body: undefined, madeAt: `/v1/private/prompts/${id}` };
      },
      listLibraryPrompts,
      listProjectPrompts: listLibraryPrompts,
      async showLibraryPrompt({ libraryPrompt: prompt, query: { environment } }) {
        if (environment === undefined) return showWithVersions(prompt);
        const requested = await prompts.findVersion(prompt.workspaceId, prompt.id, { environment });
        if (requested === undefined)
          throw new Failure(
            'absent',
            `no version of the prompt is in the environment ${environment}`,
          );
        return showWithVersions(prompt, requested);
      },
      async updateLibraryPrompt({ body, libraryPrompt: { workspaceId, id }, caller }) {
        const { name, description, tags } = body;
        const change = {
          ...given({ name, description, tags: tags && readTags(tags) }),
          ...touchedBy(clock, caller),
        };
        if (!(await prompts.update(workspaceId, id, change))) throw absentPrompt();
        return undefined;
      },
      async deleteLibraryPrompt({ params, reach, caller }) {
        const wanted = await reachedIds(reach, readIds([params.id]), prompts.findMany);
        await removePrompts(reach.workspace.id, wanted, caller);
        return undefined;
      },
      async deleteLibraryPrompts({ body, reach, caller }) {
        const wanted = await reachedIds(reach, readIds(body.ids), prompts.findMany);
        await removePrompts(reach.workspace.id, wanted, caller);
        return undefined;
      },
      async showPromptByCommit({ params, reach }) {
        const all = await prompts.findByCommits(reach.workspace.id, [params.commit]);
        const of = await promptsOf(reach, all);
        const [found, other] = all.filter(({ promptId }) => of.has(promptId));
        const prompt = found && of.get(found.promptId);
        if (found === undefined || prompt === undefined) throw absentVersion();
        if (other !== undefined)
          throw new Failure('conflict', `several prompts have the commit ${params.commit}`);
        return showWithVersions(prompt, found);
      },
      async retrievePromptCommits({ body, reach }) {
        requireSome('commits', body.commits);
        const versions = await prompts.findByCommits(reach.workspace.id, body.commits);
        const of = await promptsOf(reach, versions);
        return versions.flatMap(({ id, commit, promptId }) => {
          const prompt = of.get(promptId);
          return prompt === undefined
            ? []
            : [
                {
                  id,
                  prompt_version_id: id,
                  commit,
                  prompt_id: promptId,
                  prompt_name: prompt.name,
                },
              ];
        });
      },
      async createPromptVersion({ body, projectTarget, caller }) {
        const sent = readVersion(body.version);
        const projectId = await projectOf(body, projectTarget, caller);
        const prompt = await requirePrompt(
          { workspaceId: projectTarget.workspace.id, projectId, name: body.name },
          body.template_structure,
          caller,
        );
        if (body.template_structure !== undefined && body.template_structure !== prompt.structure)
          throw new Failure(
            'invalid',
            `the prompt ${prompt.name.slice(0, 100)} has the template structure ${prompt.structure}`,
          );
        const follow = (version: LibraryPromptVersion) =>
          followPrompt(storage.stores, { clock, ids }, prompt, version, caller);
        const made = await addAlone(prompt, sent, caller).catch(async (refusal: unknown) => {
          // A request that broke off may have made it, and not have come to those who follow.
          if (isFailure(refusal) && refusal.kind === 'conflict')
            for (const earlier of await prompts.findVersions(prompt.workspaceId, [sent.id]))
              if (earlier.promptId === prompt.id) await follow(earlier);
          throw refusal;
        });
        await follow(made);
        return showPromptVersion(made, prompt);
      },
      async tagPromptVersions({ body, reach }) {
        const versions = await prompts.findVersions(reach.workspace.id, readIds(body.ids));
        const of = await promptsOf(reach, versions);
        if (body.update.tags !== undefined)
          await prompts.tagVersions(
            reach.workspace.id,
            versions.filter(({ promptId }) => of.has(promptId)).map(({ id }) => id),
            readTags(body.update.tags),
            body.merge_tags ?? false,
          );
        return undefined;
      },
      async retrievePromptVersion({ body, projectScope, caller }) {
        const by = given({
          commit: isBlank(body.commit) ? undefined : body.commit,
          environment: isBlank(body.environment) ? undefined : body.environment,
          number:
            body.version_number === undefined || isBlank(body.version_number)
              ? undefined
              : readNumber(body.version_number),
        });
        const prompt = await findNamed(storage.stores, prompts, projectScope, body.name, caller);
        const found = prompt && (await prompts.findVersion(prompt.workspaceId, prompt.id, by));
        if (prompt === undefined || found === undefined) throw absentVersion();
        return {
          body: showPromptVersion(found, prompt),
          ...fallenBack(projectScope, prompt, 'prompt'),
        };
      },
      async retrievePromptVersions({ body, reach }) {
        const versions = await prompts.findVersions(reach.workspace.id, readIds(body.ids));
        const of = await promptsOf(reach, versions);
        return versions.flatMap((one) => {
          const prompt = of.get(one.promptId);
          return prompt === undefined ? [] : [showPromptVersion(one, prompt)];
        });
      },
      showPromptVersion: async ({ libraryPromptVersion: version }) =>
        showPromptVersion(version, version.prompt),
      async setPromptEnvironments({ body, libraryPromptVersion: { workspaceId, id } }) {
        const known = new Set((await environments.list(workspaceId)).map(({ name }) => name));
        for (const name of body.environments)
          if (!known.has(name))
            throw new Failure('absent', `environment ${name.slice(0, 150)} not found`);
        if (!(await prompts.setEnvironments(workspaceId, id, body.environments)))
          throw absentVersion();
        return undefined;
      },
      async listPromptVersions({ query, libraryPrompt }) {
        const page = readPage(query);
        const { total, content } = await prompts.listVersions({
          workspaceId: libraryPrompt.workspaceId,
          promptId: libraryPrompt.id,
          ...given({ search: query.search }),
          filters: readFilters(query.filters, versionFields),
          orders: readSorting(query.sorting, versionOrders),
          offset: (page.page - 1) * page.size,
          limit: page.size,
        });
        const shown = content.map((one) => showPromptVersion(one, libraryPrompt));
        return showPage(page, { total, content: shown }, versionOrders);
      },
      async showPromptVersionByNumber({ params, libraryPrompt }) {
        const { workspaceId, id } = libraryPrompt;
        const number = /^v?[1-9]\d{0,8}$/.test(params.number) ? readNumber(params.number) : 0;
        const found = await prompts.findVersion(workspaceId, id, { number });
        if (found === undefined) throw absentVersion();
        return showPromptVersion(found, libraryPrompt);
      },
      async restorePromptVersion({ libraryPrompt, libraryPromptVersion: old, caller }) {
        const { template, type } = old; // tags stay with the version that they were given to
        const made = await addAlone(
          libraryPrompt,
          {
            id: ids.next(),
            template,
            type,
            metadata:
              old.metadata === undefined ? undefined : (JSON.parse(old.metadata) as unknown), // as it was written
            change_description: `Restored from version ${old.commit}`,
          },
          caller,
        );
        await followPrompt(storage.stores, { clock, ids }, libraryPrompt, made, caller);
        return showPromptVersion(made, libraryPrompt);
      },
    };
  },
});
