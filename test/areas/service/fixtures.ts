import type { AreaFixtures } from '#test/api/fixtures';

export const fixtures: AreaFixtures = {
  areas: ['version', 'service', 'swagger'],
  settings: { SWAGGER_ENABLED: '1' },
  rows: {
    probeVersion: { open: 'is asked before a client has shown its key' },
    ping: { open: 'is asked to learn whether a connection stands' },
    showPage: { open: 'says what this is to who has no key yet' },
    showStyle: { open: 'is the look of the pages' },
    isLive: { open: 'is asked by supervisors' },
    isReady: { open: 'is asked by supervisors' },
    showMetrics: { open: 'is scraped inside the network' },
    describe: { open: 'describes what is there, not what is stored' },
    showSwagger: { open: 'shows the description' },
    showSwaggerFile: {
      open: 'shows the description',
      with: () => ({ 'params.file': 'index.html' }),
    },
  },
};
