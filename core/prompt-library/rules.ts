// What prompts are found, filtered and shown by. Pure.
import { Failure } from '#ports/failure';
import type { LibraryPrompt, LibraryPromptVersion } from '#ports/model/library-prompts';
import { showAuthorship } from '../private-wire/authorship.js';
import type { FilterTypes } from '../private-wire/filters.js';
import { showInstant } from '../private-wire/instants.js';

export const promptFields: FilterTypes = {
  id: 'text',
  name: 'text',
  description: 'text',
  created_by: 'text',
  last_updated_by: 'text',
  template_structure: 'text',
  tags: 'list',
  version_count: 'number',
  created_at: 'instant',
  last_updated_at: 'instant',
};
export const promptOrders: readonly string[] = Object.keys(promptFields).filter(
  (name) => name !== 'template_structure',
);
export const versionFields: FilterTypes = {
  id: 'text',
  commit: 'text',
  version_number: 'text',
  template: 'text',
  change_description: 'text',
  type: 'text',
  created_by: 'text',
  metadata: 'json',
  tags: 'list',
  created_at: 'instant',
};
export const versionOrders: readonly string[] = [
  'id',
  'commit',
  'version_number',
  'template',
  'change_description',
  'type',
  'created_by',
  'tags',
  'created_at',
];

/** The number in `v3` or `3`. Rejects with `invalid` for what is neither. */
export const readNumber = (text: string): number => {
  const [, digits] = /^v?([1-9]\d{0,8})$/.exec(text.trim()) ?? [];
  if (digits === undefined) throw new Failure('invalid', 'version_number must be like v3');
  return Number(digits);
};

/** Names that a template of mustache has to be given, each once, in their order. */
export const variablesIn = ({
  type,
  template,
}: Pick<LibraryPromptVersion, 'type' | 'template'>): readonly string[] => {
  if (type !== 'mustache') return [];
  const names = new Set<string>();
  for (const part of template.split('{{').slice(1)) {
    const end = part.indexOf('}}');
    const inner = end === -1 ? '' : part.slice(0, end);
    const name = inner.replace(/^[{#^&/]/, '').trim();
    if (/^[\w.-]+$/.test(name) && name !== '.') names.add(name);
  }
  return [...names];
};

/** A short name for a version, from its id. */
export const commitOf = (versionId: string): string => versionId.slice(-8);

export const showPromptVersion = (
  version: LibraryPromptVersion,
  { structure }: Pick<LibraryPrompt, 'structure'>,
) => ({
  id: version.id,
  prompt_id: version.promptId,
  commit: version.commit,
  version_number: `v${version.number}`,
  template: version.template,
  metadata: version.metadata === undefined ? undefined : (JSON.parse(version.metadata) as unknown),
  type: version.type,
  template_structure: structure,
  variables: [...variablesIn(version)],
  change_description: version.changeDescription,
  tags: version.tags && [...version.tags],
  environments: [...version.environments],
  created_at: showInstant(version.createdAt),
  created_by: version.createdBy,
});

export const showPrompt = (prompt: LibraryPrompt) => ({
  id: prompt.id,
  name: prompt.name,
  project_id: prompt.projectId,
  description: prompt.description,
  template_structure: prompt.structure,
  tags: prompt.tags && [...prompt.tags],
  version_count: prompt.versionCount,
  ...showAuthorship(prompt),
});
