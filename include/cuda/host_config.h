/* Nothing to configure: the host compiler is clang. */
#ifndef __HOST_CONFIG_H__
#define __HOST_CONFIG_H__

#endif
