import { v7 } from 'uuid';
import { projects } from '#test/areas/workspaces/things';
import { thing } from '#test/api/fixtures';

const value = { key: 'model', value: 'm-1', type: 'string' };
export const aBlueprintOf = (type: 'blueprint' | 'mask') => ({ id: v7(), type, values: [value] });

/** The configuration of a project, with a version and a mask. */
export const agentConfigs = thing(async ({ ask, of, url, owner }) => {
  const project_id = (await of(projects)).projectId;
  const path = '/v1/private/agent-configs/blueprints';
  const [first, mask] = [aBlueprintOf('blueprint'), aBlueprintOf('mask')];
  await ask(path, { project_id, blueprint: first });
  const reply = await fetch(`${url}${path}`, {
    method: 'PATCH',
    headers: { Authorization: owner.apiKey, 'Content-Type': 'application/json' },
    body: JSON.stringify({ project_id, blueprint: mask }),
  });
  if (!reply.ok) throw new Error(await reply.text());
  return { blueprintId: first.id, maskId: mask.id };
});
