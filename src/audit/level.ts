/** Audit levels, from nothing to everything. @spec 6 */
export const LEVELS = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
export type Level = (typeof LEVELS)[number];

/** Audit stages, at which events of a request are generated. */
export const STAGES = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;
export type AuditStage = (typeof STAGES)[number];

/** Whether a level keeps at least as much as another. */
export const reaches = (level: Level, least: Level): boolean => LEVELS.indexOf(level) >= LEVELS.indexOf(least);
