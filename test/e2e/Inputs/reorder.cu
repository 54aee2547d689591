// Members are initialized in the order of the class.
struct pair {
	int first, second;
	pair(int x) : second(x), first(x)
	{
	}
};
