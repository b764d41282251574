export { createFlowClasses, flowControlStage, type FlowClasses } from './stage.ts';
