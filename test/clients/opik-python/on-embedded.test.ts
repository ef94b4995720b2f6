import { goesThroughAll } from './client.js';

goesThroughAll({ storage: 'embedded', base: '/api' });
