// The managed variable that managed.cu only declares.
__managed__ int elsewhere = 21;
