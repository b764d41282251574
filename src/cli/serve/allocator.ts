/**
 * What a process that serves should have in its environment, beside `env`. glibc keeps small blocks that are freed apart, and joins all of them at once
 * when a large one is freed: right after a full garbage collection, which frees the strings of some 100,000 HTTP/2 requests, that holds the process up
 * for 50 to 100 ms. With this setting it joins them one by one, at no cost that can be measured. It is read when a process starts: whoever starts it
 * has to set it (the files in `packaging` do), and what somebody chose is left alone.
 */
export const allocatorSettings = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => (env['GLIBC_TUNABLES'] === undefined ? { GLIBC_TUNABLES: 'glibc.malloc.mxfast=0' } : {});
