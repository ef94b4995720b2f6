// Prompts of LLM observability, with versions.
import {
  libraryPrompt,
  libraryPromptVersion,
  promptStructures,
  promptTypes,
} from '../model/library-prompts.js';
import { projectScope, projectTarget } from '../model/projects.js';
import { detailed, maybe, one, operations } from './operation.js';
import {
  authorship,
  belowProject,
  everywhere,
  manyIds,
  pageOf,
  paged,
  reachedOfHeader,
} from './private-wire.js';
import {
  anything,
  flag,
  integer,
  list,
  object,
  optional,
  shape,
  text,
  texts,
  word,
} from './schema.js';

const name = text({ min: 1, pattern: String.raw`\S` });
const described = {
  description: optional(text({ max: 255 })),
  tags: optional(texts()),
} as const;
const structure = optional(word(...promptStructures));
const ofProject = { project_id: optional(text()), project_name: optional(text()) } as const;
const version = object({
  id: optional(text()),
  commit: optional(text({ pattern: '^[0-9A-Za-z]{8}$' })),
  template: text({ min: 1 }),
  metadata: optional(anything()),
  type: optional(word(...promptTypes)),
  change_description: optional(text()),
  tags: optional(texts()),
});

const shownVersion = shape('PromptVersion', 'A version of a prompt; it never changes.', {
  id: text(),
  prompt_id: text(),
  commit: text(),
  version_number: text(),
  template: text(),
  metadata: optional(anything()),
  type: text(),
  template_structure: text(),
  variables: texts(),
  change_description: optional(text()),
  tags: optional(texts()),
  environments: texts(),
  created_at: text(),
  created_by: text(),
});
const prompt = {
  id: text(),
  name: text(),
  project_id: optional(text()),
  description: optional(text()),
  template_structure: text(),
  tags: optional(texts()),
  version_count: integer(),
  ...authorship,
} as const;
const shown = shape('LibraryPrompt', 'A prompt.', prompt);
const withVersions = shape('LibraryPromptDetail', 'A prompt with its newest version.', {
  ...prompt,
  latest_version: optional(shownVersion),
  requested_version: optional(shownVersion),
});
const link = shape('PromptVersionLink', 'What tells a version from others.', {
  id: text(),
  prompt_version_id: text(),
  commit: text(),
  prompt_id: text(),
  prompt_name: text(),
});

const about = one(libraryPrompt, 'header.comet-workspace/params.id');
const aboutVersion = one(libraryPromptVersion, 'header.comet-workspace/params.versionId');
const ofPrompt = { params: object({ id: text() }) } as const;
const byId = { ...ofPrompt, path: everywhere('/v1/private/prompts/{id}') } as const;
const targetOfBody = maybe(
  projectTarget,
  'body.project_id',
  'header.comet-workspace/body.project_name',
);
const reads = {
  access: { needs: 'read', about: reachedOfHeader },
} as const;
const writes = {
  access: { needs: 'write', about: reachedOfHeader, unbounded: false },
} as const;
const listing = {
  ...paged,
  sorting: optional(text()),
  filters: optional(text()),
} as const;

const listed = pageOf('LibraryPromptPage', shown);

export const libraryPromptOperations = operations({
  createLibraryPrompt: {
    method: 'POST',
    path: everywhere('/v1/private/prompts'),
    access: { needs: 'write', about: targetOfBody },
    summary: 'Make a prompt, with its first version where a template comes along',
    body: object({
      id: optional(text()),
      name,
      ...described,
      ...ofProject,
      template: optional(text()),
      metadata: optional(anything()),
      change_description: optional(text()),
      type: optional(word(...promptTypes)),
      template_structure: structure,
    }),
    replies: { 201: detailed(null) },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden', 'conflict'],
  },
  listLibraryPrompts: {
    method: 'GET',
    path: everywhere('/v1/private/prompts'),
    access: { needs: 'read', about: maybe(projectScope, 'query.project_id') },
    summary: 'The prompts of a workspace or project, the newest first; `name` is a part of it',
    query: object({ ...listing, name: optional(text()), project_id: optional(text()) }),
    replies: { 200: listed },
    fails: ['invalid', 'absent', 'forbidden'],
  },
  listProjectPrompts: {
    ...belowProject,
    method: 'GET',
    path: everywhere('/v1/private/projects/{projectId}/prompts'),
    summary: 'The prompts of a project, the newest first; `name` is a part of it',
    query: object({ ...listing, name: optional(text()) }),
    replies: { 200: listed },
    fails: ['invalid', 'absent', 'forbidden'],
  },
  showLibraryPrompt: {
    ...byId,
    method: 'GET',
    access: { needs: 'read', about },
    summary: 'A prompt with its newest version, and the one that an environment has',
    query: object({ environment: optional(text()) }),
    replies: { 200: withVersions },
    fails: ['absent', 'forbidden'],
  },
  updateLibraryPrompt: {
    ...byId,
    method: 'PUT',
    access: { needs: 'write', about },
    summary: 'Change what a prompt is called and described by',
    body: object({ name, ...described }),
    replies: { 204: null },
    fails: ['unprocessable', 'absent', 'forbidden', 'conflict'],
  },
  deleteLibraryPrompt: {
    ...byId,
    ...writes,
    method: 'DELETE',
    audit: true,
    summary: 'Delete a prompt with its versions; one that is not there is no error',
    replies: { 204: null },
    fails: ['invalid'],
  },
  deleteLibraryPrompts: {
    ...writes,
    method: 'POST',
    path: everywhere('/v1/private/prompts/delete'),
    audit: true,
    summary: 'Delete prompts with their versions; ids that are not there are skipped',
    body: manyIds,
    replies: { 204: null },
    fails: ['invalid', 'unprocessable'],
  },
  showPromptByCommit: {
    ...reads,
    method: 'GET',
    path: everywhere('/v1/private/prompts/by-commit/{commit}'),
    params: object({ commit: text() }),
    summary: 'The prompt that has a commit, with that version',
    replies: { 200: withVersions },
    fails: ['absent', 'conflict'],
  },
  retrievePromptCommits: {
    ...reads,
    method: 'POST',
    path: everywhere('/v1/private/prompts/retrieve-by-commits'),
    summary: 'The versions that have these commits',
    body: object({ commits: texts() }),
    replies: { 200: list(link) },
    fails: ['invalid', 'unprocessable'],
  },
  createPromptVersion: {
    method: 'POST',
    path: everywhere('/v1/private/prompts/versions'),
    access: { needs: 'write', about: targetOfBody },
    summary: 'Make the next version of a prompt, which is made where it is missing',
    body: object({ name, version, template_structure: structure, ...ofProject }),
    replies: { 200: shownVersion },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden', 'conflict'],
  },
  tagPromptVersions: {
    ...writes,
    method: 'PATCH',
    path: everywhere('/v1/private/prompts/versions'),
    summary: 'Give tags to versions; ids that are not there are skipped',
    body: object({
      ids: texts(),
      update: object({ tags: optional(texts()) }),
      merge_tags: optional(flag()),
    }),
    replies: { 204: null },
    fails: ['invalid', 'unprocessable'],
  },
  retrievePromptVersion: {
    method: 'POST',
    path: everywhere('/v1/private/prompts/versions/retrieve'),
    access: {
      needs: 'read',
      about: maybe(projectScope, 'header.comet-workspace/body.project_name'),
    },
    summary: 'A version of a prompt by commit, number or environment, else the newest',
    body: object({
      name: text({ min: 1 }),
      commit: optional(text()),
      version_number: optional(text()),
      environment: optional(text()),
      project_name: optional(text()),
    }),
    replies: { 200: detailed(shownVersion) },
    fails: ['invalid', 'absent', 'forbidden'],
  },
  retrievePromptVersions: {
    ...reads,
    method: 'POST',
    path: everywhere('/v1/private/prompts/versions/retrieve-by-ids'),
    summary: 'Versions by their ids; those that are not there are left out',
    body: manyIds,
    replies: { 200: list(shownVersion) },
    fails: ['invalid', 'unprocessable'],
  },
  showPromptVersion: {
    method: 'GET',
    path: everywhere('/v1/private/prompts/versions/{versionId}'),
    params: object({ versionId: text() }),
    access: { needs: 'read', about: aboutVersion },
    summary: 'A version of a prompt',
    replies: { 200: shownVersion },
    fails: ['absent', 'forbidden'],
  },
  setPromptEnvironments: {
    method: 'PATCH',
    path: everywhere('/v1/private/prompts/versions/{versionId}/environments'),
    params: object({ versionId: text() }),
    access: { needs: 'write', about: aboutVersion },
    summary: 'Say for which environments a version is; they leave the other versions of the prompt',
    body: object({ environments: texts() }),
    replies: { 204: null },
    fails: ['absent', 'forbidden'],
  },
  listPromptVersions: {
    ...ofPrompt,
    method: 'GET',
    path: everywhere('/v1/private/prompts/{id}/versions'),
    access: { needs: 'read', about },
    summary: 'The versions of a prompt, the newest first',
    query: object({ ...listing, search: optional(text()) }),
    replies: { 200: pageOf('PromptVersionPage', shownVersion) },
    fails: ['invalid', 'absent', 'forbidden'],
  },
  showPromptVersionByNumber: {
    method: 'GET',
    path: everywhere('/v1/private/prompts/{id}/versions/by-number/{number}'),
    params: object({ id: text(), number: text() }),
    access: { needs: 'read', about },
    summary: 'A version of a prompt by its number, such as 3 or v3',
    replies: { 200: shownVersion },
    fails: ['absent', 'forbidden'],
  },
  restorePromptVersion: {
    method: 'POST',
    path: everywhere('/v1/private/prompts/{id}/versions/{versionId}/restore'),
    params: object({ id: text(), versionId: text() }),
    access: { needs: 'write', about: [about, aboutVersion] },
    summary: 'Make a new version like an older one',
    replies: { 200: shownVersion },
    fails: ['absent', 'forbidden'],
  },
});
