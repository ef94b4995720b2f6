import { areaSettings, text, type InForce } from '#ports/area-settings';

export const runSettings = areaSettings('runs', {
  MIN_SDK_VERSION_PYTHON: text(
    '',
    'Oldest Python client that may begin a run or change anything; runs under way go on; empty is any',
  ),
  MIN_SDK_VERSION_JAVA: text('', 'The same of the Java client, where it tells its version'),
  MIN_SDK_VERSION_R: text('', 'The same of the R client'),
});
export type RunSettings = InForce<typeof runSettings>;
