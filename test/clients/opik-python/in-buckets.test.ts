import { keepsFilesIn } from './client.js';

// Parts go to the bucket, and of S3 come from there too.
keepsFilesIn({
  storage: 'postgres',
  blob: 's3',
  never: /attachment\/(?:upload\?|download)/,
});
keepsFilesIn({ storage: 'mysql', blob: 'gcs', never: /attachment\/upload\?/ });
