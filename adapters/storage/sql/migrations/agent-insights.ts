import { addAuthorship } from '../authorship.js';
import { createTable } from './change.js';

export const agentInsightsChanges = [
  createTable(576, 'insights_jobs', (table, dialect) => {
    dialect.id(table, 'project_id').notNullable().primary();
    dialect.id(table, 'id').notNullable();
    dialect.exactText(table, 'status', 20).notNullable();
    table.boolean('enrolled').notNullable();
    table.bigInteger('first_run_at').nullable();
    table.bigInteger('first_done_at').nullable();
    table.bigInteger('scanned_at').nullable();
    // The last day, counted from 1970, for which a run was asked for.
    table.integer('scheduled_day').notNullable();
    dialect.exactText(table, 'failure_reason', 40).nullable();
    dialect.longText(table, 'failure_detail').nullable();
    table.bigInteger('failed_at').nullable();
    dialect.longText(table, 'guidance').nullable();
    dialect.longText(table, 'guidance_by').nullable();
    table.bigInteger('guidance_at').nullable();
    table.integer('guidance_version').notNullable();
    table.integer('results_version').nullable();
    addAuthorship(table, dialect);
    table.index(['status', 'scheduled_day'], 'insights_jobs_due');
    table.index(['enrolled', 'first_run_at'], 'insights_jobs_enrolled');
  }),
  createTable(577, 'insights_runs', (table, dialect) => {
    dialect.id(table, 'project_id').notNullable();
    dialect.exactText(table, 'kind', 20).notNullable();
    dialect.id(table, 'id').notNullable();
    table.bigInteger('from_time').notNullable();
    table.bigInteger('to_time').notNullable();
    dialect.longText(table, 'guidance').nullable();
    table.integer('guidance_version').notNullable();
    table.integer('tries').notNullable();
    table.bigInteger('due_at').notNullable();
    table.primary(['project_id', 'kind'], 'insights_runs_key');
    table.index(['due_at'], 'insights_runs_due');
  }),
  createTable(578, 'insights_issues', (table, dialect) => {
    dialect.id(table, 'id').notNullable().primary();
    dialect.id(table, 'project_id').notNullable();
    dialect.longText(table, 'name').notNullable();
    dialect.longText(table, 'description').nullable();
    dialect.longText(table, 'cause').nullable();
    dialect.longText(table, 'suggested_fix').nullable();
    dialect.exactText(table, 'severity', 20).nullable();
    dialect.longText(table, 'traces_query').nullable();
    dialect.exactText(table, 'status', 20).notNullable();
    dialect.longText(table, 'close_note').nullable();
    dialect.longText(table, 'status_changed_by').nullable();
    table.bigInteger('status_changed_at').nullable();
    addAuthorship(table, dialect);
    table.index(['project_id', 'id'], 'insights_issues_project');
  }),
  createTable(579, 'insights_issue_days', (table, dialect) => {
    dialect.id(table, 'project_id').notNullable();
    dialect.id(table, 'issue_id').notNullable();
    table.integer('report_day').notNullable();
    table.bigInteger('occurrences').notNullable();
    table.bigInteger('total_count').notNullable();
    table.bigInteger('users_impacted').notNullable();
    table.bigInteger('total_users').notNullable();
    dialect.longText(table, 'metadata').nullable();
    table.primary(['project_id', 'issue_id', 'report_day'], 'insights_issue_days_key');
    table.index(['project_id', 'report_day'], 'insights_issue_days_day');
  }),
];
