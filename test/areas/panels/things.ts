import { systemZip } from '#adapters/system/zip';
import { thing } from '#test/api/fixtures';
import { encodeParts } from '#test/api/sending';
import { projects } from '#test/areas/workspaces/things';

/** The archive of a panel. */
const panelArchive = async (): Promise<Buffer> => {
  const text = JSON.stringify({ templateName: 'panel', code: { code: '1', type: 'js' } });
  const pieces: Uint8Array[] = [];
  const entry = {
    name: 'tempVisualizationTemplate.json',
    changedAt: 0,
    open: async function* () {
      yield Buffer.from(text);
    },
  };
  for await (const piece of systemZip.pack([entry])) pieces.push(piece);
  return Buffer.concat(pieces);
};

/** A panel with the archive that it was uploaded as, and a dashboard of the project, which is a view of it too. */
export const panels = thing(async ({ ask, of, owner }) => {
  const panel = await panelArchive();
  const archive = encodeParts([{ name: 'file', fileName: 'panel.zip', content: panel }]);
  const write = '/api/rest/v2/write';
  const { templateId: panelId = '' } = await ask(
    `${write}/template/upload?teamName=${owner.workspace}`,
    archive.body,
    archive.type,
  );
  const { template_id: viewId = '' } = await ask(`${write}/dashboard-template/create`, {
    project_id: (await of(projects)).projectId,
    template_name: 'dashboard',
  });
  return { panel, panelId, viewId };
});
