import type { AdmissionPlugin } from '#admission';

/** Holds creates of ConfigMaps until the gate opens; `arrived` resolves with the first. */
export function createGate(): { readonly plugin: AdmissionPlugin; readonly arrived: Promise<void>; open(): void } {
  let open = (): void => {};
  let arrive = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  const validate = (): Promise<void> => {
    arrive();
    return opened;
  };
  return { plugin: { name: 'Gate', enabled: true, band: 'final', create: () => ({ on: ['CREATE'], kinds: ['/configmaps'], validate }) }, arrived, open };
}
