/** How much of a request is kept, from nothing to everything. @spec 6 */
export const LEVELS = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
export type Level = (typeof LEVELS)[number];

/** When an event of a request is made. */
export const STAGES = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;
export type AuditStage = (typeof STAGES)[number];

/** Whether a level keeps at least as much as another. */
export const reaches = (level: Level, least: Level): boolean => LEVELS.indexOf(level) >= LEVELS.indexOf(least);
