import { goesThroughAll } from './client.js';

goesThroughAll({ storage: 'mysql', base: '/api' });
