/** Why a delivery was made: the event itself, somebody who asked for it again (one, or a range), or a try of the receiver. */
export type DeliveryKind = 'event' | 'redelivery' | 'replay' | 'test';
