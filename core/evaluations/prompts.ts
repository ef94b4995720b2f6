// The versions of prompts that an evaluation names.
import { Failure } from '#ports/failure';
import type { EvaluatedPrompt } from '#ports/model/evaluations';
import type { Caller } from '#ports/model/identity';
import type { LibraryPromptStore } from '#ports/storage/library-prompts';
import { readAnyId } from '../private-wire/ids.js';

export interface SentPrompts {
  readonly prompt_version?: { readonly id: string } | undefined;
  readonly prompt_versions?: readonly { readonly id: string }[] | undefined;
}

/** Those that a request names; `undefined` where it names none. Rejects with `conflict` for one that is not there or out of reach. */
export const evaluatedPrompts = async (
  libraryPrompts: LibraryPromptStore,
  workspaceId: string,
  { prompt_version: single, prompt_versions: several }: SentPrompts,
  { scope }: Pick<Caller, 'scope'>,
): Promise<readonly EvaluatedPrompt[] | undefined> => {
  if (single === undefined && several === undefined) return undefined;
  const wanted = [
    ...new Set(
      [...(several ?? []), ...(single === undefined ? [] : [single])].map(({ id }) =>
        readAnyId(id, 'prompt_versions'),
      ),
    ),
  ];
  const found = new Map(
    (await libraryPrompts.findVersions(workspaceId, wanted)).map((one) => [one.id, one]),
  );
  if (scope?.projectId !== undefined) {
    const promptIds = [...new Set([...found.values()].map(({ promptId }) => promptId))];
    const own = new Set(
      (await libraryPrompts.findMany(workspaceId, promptIds))
        .filter(({ projectId }) => projectId === scope.projectId)
        .map(({ id }) => id),
    );
    for (const { id, promptId } of [...found.values()]) if (!own.has(promptId)) found.delete(id);
  }
  return wanted.map((versionId) => {
    const version = found.get(versionId);
    if (version === undefined)
      throw new Failure('conflict', `prompt version ${versionId} not found`);
    return { versionId, promptId: version.promptId };
  });
};
