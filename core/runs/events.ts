/** Kinds of usage events that are counted; of any other nothing is kept. The Python client puts `sdk_` before each. */
const counted =
  /^(?:sdk_)?(experiment_creation_failed|file_uploaded_failed|on_exit_didnt_finish_upload_sdk|git_patch_generation_failed|offline_invalid_\w{1,40}|fallback_to_offline_failed_pings_count|torch_save_call|(pytorch|sklearn)_model_(saving|loading)_explicit_call|(upsert|get)_snowflake_artifact|nested_parameters_logged)$/i;

export const isCounted = (name: string | undefined): boolean =>
  name !== undefined && counted.test(name);
