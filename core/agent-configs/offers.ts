// Values of configurations that hold a prompt: which versions they name, and how they move on with it.
import type { Clock } from '#ports/clock';
import type { Ids } from '#ports/ids';
import type { ConfigValue } from '#ports/model/agent-configs';
import type { Caller } from '#ports/model/identity';
import type { LibraryPrompt, LibraryPromptVersion } from '#ports/model/library-prompts';
import type { NewConfigValue } from '#ports/storage/agent-configs';
import type { Stores } from '#ports/storage/storage';
import { madeBy } from '../private-wire/authorship.js';

/** Projects that are looked for at once, and all in all for one version of a prompt. */
const [projectsAtOnce, mostProjects] = [100, 1000];

/**
 * Values with the versions of prompts that they follow: those of type `prompt` whose commit is that of one prompt that the credential reaches. The
 * others stay what they are.
 */
export const linkPrompts = async (
  { libraryPrompts }: Pick<Stores, 'libraryPrompts'>,
  workspaceId: string,
  values: readonly ConfigValue[],
  { scope }: Pick<Caller, 'scope'>,
): Promise<readonly NewConfigValue[]> => {
  const commits = values.flatMap(({ type, value }) =>
    type === 'prompt' && value !== undefined ? [value] : [],
  );
  const versions =
    commits.length === 0
      ? []
      : await libraryPrompts.findByCommits(workspaceId, [...new Set(commits)]);
  const only = scope?.projectId;
  const reached = new Set(
    versions.length === 0
      ? []
      : (
          await libraryPrompts.findMany(workspaceId, [
            ...new Set(versions.map(({ promptId }) => promptId)),
          ])
        )
          .filter(({ projectId }) => only === undefined || projectId === only)
          .map(({ id }) => id),
  );
  return values.map((one) => {
    const [found, other] =
      one.type === 'prompt'
        ? versions.filter(({ commit, promptId }) => commit === one.value && reached.has(promptId))
        : [];
    return {
      ...one,
      follows:
        found === undefined || other !== undefined
          ? undefined
          : { promptId: found.promptId, number: found.number },
    };
  });
};

/**
 * Moves configurations whose newest version holds an older version of a prompt on to this one: each of them gets a version of its own. Environments
 * stay where they are. A credential of one project moves that project's alone.
 */
export const followPrompt = async (
  { agentConfigs }: Pick<Stores, 'agentConfigs'>,
  { clock, ids }: { readonly clock: Clock; readonly ids: Ids },
  { workspaceId, id: promptId, name }: Pick<LibraryPrompt, 'workspaceId' | 'id' | 'name'>,
  { number, commit }: Pick<LibraryPromptVersion, 'number' | 'commit'>,
  caller: Caller,
): Promise<void> => {
  if (number === 1) return;
  const version = { workspaceId, promptId, number, commit };
  const only = caller.scope?.projectId;
  let last: string | undefined;
  for (let seen = 0; seen < mostProjects;) {
    const projects = await agentConfigs.listFollowers(version, last, projectsAtOnce);
    for (const projectId of projects)
      if (only === undefined || projectId === only)
        await agentConfigs.follow(version, {
          workspaceId,
          projectId,
          id: ids.next(),
          description: `v${number} of the prompt ${name}`.slice(0, 255),
          ...madeBy(clock, caller),
        });
    seen += projects.length;
    last = projects.at(-1);
    if (projects.length < projectsAtOnce) return;
  }
};
